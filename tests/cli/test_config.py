"""Sweeps through expand: malformed ones name file, line, pointer; good ones expand as written."""

import json

from tool import ROOT, ToolTest

GOOD = {"op": "matmul", "m": 2, "n": 2, "k": 2}


class Expand(ToolTest):
    def refused(self, text, *parts):
        name = self.write("bad.json", text)
        message = self.tool("expand", name, code=2).stderr
        for part in ("bad.json:", *parts):
            self.assertIn(part, message)

    def test_malformed(self):
        self.refused('{"cases": [', "bad.json:1:", "not valid JSON")
        self.refused('{\n"casse": []}', "bad.json:2:1: /casse", "did you mean 'cases'")
        self.refused('{"name": "a", "name": "b", "cases": []}', "appears twice")
        self.refused({"cases": [{"op": "conv_fw"}]}, "/cases/0/op", "did you mean 'conv_fwd'")
        self.refused({"cases": [{**GOOD, "layuot": "nhwc"}]}, "/cases/0/layuot")
        self.refused({"cases": [{**GOOD, "m": "2"}]}, "/cases/0/m", "expected an integer")
        self.refused({"cases": [{**GOOD, "m": -2}]}, "/cases/0/m", "from 0")
        self.refused({"cases": [{**GOOD, "m": 10**30}]}, "/cases/0/m")
        self.refused({"cases": [{**GOOD, "dtype": "half"}]}, "/cases/0/dtype", "f16")
        self.refused({"cases": [GOOD, {**GOOD, "algo": "niave"}]}, "/cases/1/algo", "did you mean 'naive'")
        shape = {"op": "conv_fwd", "n": 1, "c": 1, "h": 2, "w": 2, "k": 1, "r": 5, "s": 1}
        self.refused({"cases": [shape]}, "/cases/0", "conv_fwd")
        self.refused({"include": "gone.json"}, "/include", "gone.json")

    def test_missing_file(self):
        self.assertIn("gone.json", self.tool("expand", "gone.json", code=2).stderr)

    def test_formats(self):
        name = self.write("s.json", {"cases": [{**GOOD, "m": [1, 2], "label": "x"}]})
        self.assertEqual(self.tool("expand", name, "--format", "count").stdout, "2\n")
        table = self.tool("expand", name).stdout.splitlines()
        self.assertEqual(len(table), 2)
        self.assertRegex(table[0], r"^[0-9a-f]{16} matmul m=1 n=2 k=2 .* seed=1  # x$")
        cases = json.loads(self.tool("expand", name, "--format", "json").stdout)
        self.assertEqual([each["label"] for each in cases], ["x", "x"])
        # A printed case is a case.
        again = self.tool("expand", "--case", cases[1]["case"]).stdout
        self.assertEqual(again.split()[0], cases[1]["case_id"])

    def test_nothing_planned(self):
        name = self.write("s.json", {"cases": [GOOD], "exclude": [{"op": "matmul"}]})
        self.assertEqual(self.tool("expand", name, "--format", "json", code=6).stdout, "[]\n")

    def test_set(self):
        name = self.write("s.json", {"cases": [GOOD]})
        text = self.tool("expand", name, "--set", "m=[7,8]", "--set", "dtype=f64").stdout
        self.assertEqual(text.count("dtype=f64"), 2)
        self.assertIn("m=7 ", text)

    def test_resnet50_is_the_whole_network(self):
        path = ROOT / "configs" / "resnet50_conv.json"
        cases = json.loads(self.tool("expand", path, "--format", "json").stdout)
        self.assertEqual(len(cases), 23 * 3 * 2)
        forward = [each for each in cases if each["case"].startswith("conv_fwd") and "recipe=exact" in each["case"]]
        self.assertEqual(len({each["case"] for each in forward}), 23)
        self.assertEqual(sum(each["count"] for each in forward), 53)

    def test_quick_has_every_op(self):
        cases = json.loads(self.tool("expand", ROOT / "configs" / "quick.json", "--format", "json").stdout)
        ops = {op["name"] for op in json.loads(self.tool("list", "ops", "--format", "json").stdout)}
        self.assertEqual({each["case"].split()[0] for each in cases}, ops)
