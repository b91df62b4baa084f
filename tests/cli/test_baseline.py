"""run --baseline: the run, then the comparison, one exit code."""

import json
import unittest

import tool

CASES = ["--case", "matmul m=9 n=8 k=70", "--case", "activation_fwd fn=tanh n=1 c=2 h=3 w=4", "--device", "emu", "--no-progress"]


class Baseline(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.tool("run", *CASES, "--out", "base")
        self.base = self.lines((self.folder / "base" / "records.jsonl").read_text())

    def planted(self, change):
        """The baseline with one record changed; gives that record."""
        lines = json.loads(json.dumps(self.base))
        record = next(line for line in lines if line.get("algorithm") == "split_k_ordered")
        change(record)
        (self.folder / "planted.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return record

    def against(self, *words, baseline="planted.jsonl", code):
        return self.tool("run", *CASES, "--out", "new", "--force", "--baseline", baseline, *words, code=code).stderr

    def test_no_change(self):
        self.assertIn("no change", self.against(baseline="base", code=0))

    def test_a_changed_digest_is_1_and_named(self):
        record = self.planted(lambda record: record["determinism"]["digests"].update(d="0" * 64))
        text = self.against(code=1)
        self.assertIn(record["variant"], text)
        self.assertIn(f"warpmark run --case '{record['case']}'", text)

    def test_a_risen_workspace_is_3_and_named(self):
        record = self.planted(lambda record: record.update(workspace_bytes=1))
        self.assertIn(record["variant"], self.against(code=3))
        self.against("--fail-on", "failed,error", code=0)

    def test_a_risen_counter_is_3_and_named(self):
        words = ["run", "--case", "matmul m=32 n=32 k=32 algo=tiled_smem", "--device", "emu-race", "--count", "--force", "--no-progress"]
        self.tool(*words, "--out", "counted")
        lines = self.lines((self.folder / "counted" / "records.jsonl").read_text())
        self.assertGreater(lines[1]["counters"]["global_load_sectors"], 0)
        lines[1]["counters"]["global_load_sectors"] -= 1
        (self.folder / "fewer.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        text = self.tool(*words, "--out", "again", "--baseline", "fewer.jsonl", code=3).stderr
        self.assertIn("global_load_sectors", text)
        self.assertIn("matmul/tiled_smem/f32.f32.f32", text)
        self.tool(*words, "--out", "same", "--baseline", "counted")

    def test_a_vanished_case_is_3(self):
        self.planted(lambda record: record.update(case_id="f" * 16))
        self.assertIn("f" * 16, self.against(code=3))

    def test_the_worse_of_both_counts(self):
        self.planted(lambda record: record.update(workspace_bytes=1))
        self.against("--case", "matmul m=2 n=2 k=2 algo=naive expect.d=[1,2,3,4] in.a=[0,0,0,0]", code=1)

    def test_accepted_and_quarantined(self):
        self.planted(lambda record: record.update(workspace_bytes=1))
        self.against(code=3)
        self.tool("compare", "planted.jsonl", "new", "--accept", "--reason", "one more buffer", code=0)
        self.against("--accepted", "accepted.json", code=0)
        failing = ["--case", "matmul m=2 n=2 k=2 algo=naive expect.d=[1,2,3,4] in.a=[0,0,0,0]", "--device", "emu", "--out", "red", "--force", "--no-progress"]
        self.tool("run", *failing, code=1)
        entry = {"pattern": "matmul/naive/*", "owner": "a team", "reason": "known", "expires": "2999-12-31", "expected": "failed"}
        self.write("quarantine.json", {"schema": "warpmark.quarantine/1", "cases": [entry]})
        self.tool("run", *failing, "--quarantine", "quarantine.json")
        done = self.tool("run", "--case", "matmul m=2 n=2 k=2 algo=naive", "--device", "emu", "--out", "green", "--quarantine", "quarantine.json", code=1)
        self.assertIn("passes although quarantined", done.stderr)

    def test_wrong_use_before_anything_runs(self):
        for words, part in ((["--baseline", "none"], "no such report"), (["--baseline", "base", "--shard", "1/2"], "merge the shards"),
                            (["--quarantine", "none"], "none"), (["--thresholds", "none"], "none")):
            self.assertIn(part, self.tool("run", *CASES, "--out", "fresh", *words, code=2).stderr)
        self.assertFalse((self.folder / "fresh").exists())


if __name__ == "__main__":
    unittest.main()
