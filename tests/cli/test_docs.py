"""Every warpmark command, case string and sweep that the documentation shows is run."""

import json
import pathlib
import re
import shlex

import jsonschema

from tool import ROOT, ToolTest

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Long runs: the sweep's plan is expanded instead.
LONG = {
    str(path.relative_to(ROOT)) for path in (ROOT / "configs").rglob("*.json") if path.name != "quick.json"
}
# Problem lists that docs/importing.md imports.
LISTS = {
    "commands.txt": "MIOpenDriver conv -n 1 -c 2 -H 5 -W 5 -k 2 -y 3 -x 3 -F 1\nMIOpenDriver pool -n 1\n",
    "inputs/conv/shapes_mine": "mb1ic3ih5oc4kh3\n",
    "cudnn.log": "I! CuDNN (v8005) function cudnnActivationForward() called:\n"
    "i!     activationDesc: type=cudnnActivationDescriptor_t:\n"
    "i!         mode: type=cudnnActivationMode_t; val=CUDNN_ACTIVATION_RELU (1);\n"
    "i!     xDesc: type=cudnnTensorDescriptor_t:\n"
    "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);\n"
    "i!         nbDims: type=int; val=4;\n"
    "i!         dimA: type=int; val=[1,2,3,4];\n"
    "i!         strideA: type=int; val=[24,12,4,1];\n",
    "table.csv": "op,m,n,k\nmatmul,1,2,3\n",
}


def blocks(language):
    for page in PAGES:
        for kind, body in BLOCK.findall(page.read_text()):
            if kind == language:
                yield page.name, body


def files():
    """(page, kind, text) of shown files that name their schema, such as warpmark.thresholds/1."""
    for page, body in blocks("json"):
        if match := re.search(r'"schema": "warpmark\.(\w+)/1"', body):
            yield page, match.group(1), body


def commands():
    for page, body in blocks("sh"):
        for line in body.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] in ("warpmark", "build/dev/warpmark"):
                yield page, words[1:]


class Docs(ToolTest):
    def localise(self, words):
        """The command with files of the repository, a report of its own and a short plan."""
        long_run = words[0] == "run" and LONG & set(words)
        words = [str(ROOT / word) if word.startswith("configs/") else word for word in words]
        words = [word.replace("/tmp/", str(self.folder) + "/", 1) for word in words]
        if long_run:
            return ["expand", *words[1:], "--format", "count"]
        if words[0] in ("run", "verify", "bench", "audit"):
            words += [] if {"--device", "--count"} & set(words) else ["--device", "emu"]
            words += [] if {"--resume", "--shard"} & set(words) else ["--force"]
            words += [] if "--out" in words else ["--out", "out"]
        if words[0] == "report":
            words[1] = self.report
        if words[0] == "compare":
            words[1:3] = [self.report, self.report]
        return words

    def test_commands(self):
        self.tool("run", "--case", "matmul m=4 n=4 k=4", "--device", "emu", "--out", "made")
        self.report = str(self.folder / "made" / "records.jsonl")
        for page, kind, body in files():
            self.write(f"{kind}.json", body)
        for name, text in LISTS.items():
            self.write(name, text)
        seen = 0
        for page, words in commands():
            with self.subTest(page=page, command=" ".join(words)):
                self.tool(*self.localise(words))
            seen += 1
        self.assertGreaterEqual(seen, 6)

    def test_case_strings(self):
        self.write("unused", "")
        seen = 0
        for page, body in blocks(""):
            for line in body.splitlines():
                if re.match(r"(conv|matmul|softmax|activation)\w* \w+=", line) and "@" not in line:
                    with self.subTest(page=page, case=line):
                        self.tool("explain", "--case", line)
                    seen += 1
        self.assertGreaterEqual(seen, 1)

    def test_sweeps(self):
        seen = 0
        for page, body in blocks("json"):
            if '"schema": "warpmark.' in body:
                continue
            with self.subTest(page=page):
                self.write("sweep.json", body)
                self.assertGreater(int(self.tool("expand", "sweep.json", "--format", "count").stdout), 0)
            seen += 1
        self.assertGreaterEqual(seen, 1)

    def test_files(self):
        seen = 0
        for page, kind, body in files():
            with self.subTest(page=page, kind=kind):
                schema = json.loads((ROOT / "configs" / "schema" / f"{kind}.schema.json").read_text())
                jsonschema.validate(json.loads(body), schema)
            seen += 1
        self.assertGreaterEqual(seen, 1)

    def test_links_and_paths_exist(self):
        for page in PAGES:
            text = page.read_text()
            for target in re.findall(r"\]\(([^)#:]+)\)", text):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")
            for path in re.findall(r"`((?:src|configs|tests|scripts|docs|cmake)/[\w./-]+\.\w+)`", text):
                self.assertTrue((ROOT / path).exists(), f"{page.name}: {path}")


if __name__ == "__main__":
    import unittest

    unittest.main()
