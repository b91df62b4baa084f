"""Closed streams, full devices, racing reports, hopeless sizes, extreme values."""

import json
import subprocess

from tool import BINARY, ToolTest


class Robustness(ToolTest):
    def records(self, case, code=0):
        text = self.tool("verify", "--case", case, "--device", "emu", "--out", "out", "--force", "--no-progress", code=code).stdout
        return [line for line in self.lines(text) if line["schema"] == "warpmark.record/1"]

    def test_closed_standard_streams_do_not_reach_the_report(self):
        command = f"{BINARY} run --device emu --case 'matmul m=2 n=2 k=2' --out"
        for name, closed in (("out", ">&-"), ("err", "2>&- >/dev/null"), ("all", "<&- >&- 2>&-")):
            subprocess.run(f"{command} {name} {closed}", shell=True, cwd=self.folder, check=True)
            lines = (self.folder / name / "records.jsonl").read_text().splitlines()
            schemas = [json.loads(line)["schema"] for line in lines]
            self.assertEqual(schemas[0], "warpmark.header/1")
            self.assertEqual(schemas[-1], "warpmark.summary/1")
            self.assertEqual(set(schemas[1:-1]), {"warpmark.record/1"})

    def test_a_full_standard_output_is_exit_5(self):
        for words in ("list ops", "run --device emu --out o --no-progress --case 'matmul m=2 n=2 k=2'"):
            done = subprocess.run(f"{BINARY} {words} > /dev/full", shell=True, cwd=self.folder, capture_output=True)
            self.assertEqual(done.returncode, 5, done.stderr)

    def test_a_workspace_of_odd_size_under_a_guard(self):
        for case in (
            "matmul m=7 n=13 k=11 guard=back",
            "matmul m=7 n=13 k=11 dtype=f16 guard=back",
            "conv_bwd_data n=2 c=3 h=7 w=5 k=3 r=3 s=3 pad=1 guard=back dtype=f16",
        ):
            for record in self.records(case):
                self.assertEqual(record["status"], "passed", record["reason"])

    def test_hopeless_sizes_are_skipped_with_the_numbers(self):
        for case in (
            "matmul m=200000 n=200000 k=8 algo=naive",
            "matmul m=7 n=13 k=11 a.offset=1099511627776 algo=naive",
        ):
            (record,) = self.records(case, code=77)
            self.assertEqual(record["status"], "skipped")
            self.assertRegex(record["reason"], r"resource: needs about .* GiB .* available")

    def test_subnormal_sums_of_atomics(self):
        for record in self.records("matmul m=1 n=1 k=2 in.a=[1e-40,1] in.b=[1,1]"):
            self.assertEqual(record["status"], "passed", record["reason"])

    def test_infinities(self):
        for case in (
            "softmax_fwd n=1 c=3 in.x=[0,-Infinity,-Infinity] kind=log expect.y=[0,-Infinity,-Infinity]",
            "matmul m=1 n=1 k=1 in.a=[-Infinity] in.b=[1] expect.d=[-Infinity]",
            "conv_fwd n=1 c=1 h=3 w=3 k=1 r=3 s=3 pad=1 in.w=[Infinity,1,1,1,1,1,1,1,1]",
        ):
            for record in self.records(case):
                self.assertEqual(record["status"], "passed", record["reason"])

    def test_empty_sums_are_zeros(self):
        for case in ("conv_bwd_filter n=0 c=3 h=3 w=3 k=2 r=1 s=1", "matmul m=3 n=3 k=0"):
            for record in self.records(case):
                self.assertEqual((record["status"], record["reason"]), ("passed", "empty sums"))

    def test_nothing_measured_is_not_green(self):
        self.tool("bench", "--case", "matmul m=2 n=2 k=2 recipe=exact", "--device", "emu", "--out", "out", code=77)

    def test_expand_counts_only_what_is_valid(self):
        self.tool("expand", "--case", "matmul m=-2 n=1 k=1", "--format", "count", code=2)

    def test_two_runs_into_one_folder(self):
        command = [BINARY, "run", "--device", "emu", "--no-progress", "--out", "shared", "--case", "matmul m=30 n=30 k=30"]
        runs = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual(sorted(run.wait() for run in runs), [0, 2, 2])
        for line in (self.folder / "shared" / "records.jsonl").read_text().splitlines():
            json.loads(line)


if __name__ == "__main__":
    import unittest

    unittest.main()
