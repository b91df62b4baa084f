"""Shards: by number, by the variables of an engine, under MPI; merge proves that they are the plan."""

import os
import pathlib
import shutil
import subprocess
import unittest

import tool
from test_resume import SWEEP, without_times_of

ENGINES = ("GTEST_", "TEST_", "SLURM_", "JOB_COMPLETION", "AWS_BATCH", "CI_NODE", "OMPI_", "PMIX_", "WARPMARK_SHARD")


class Shard(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.write("many.json", SWEEP)

    def words(self, out, *more):
        return ["verify", "many.json", "--device", "emu", "--no-progress", "--out", out, *more]

    def auto(self, out, code=0, **variables):
        clean = {key: value for key, value in os.environ.items() if not key.startswith(ENGINES)}
        done = subprocess.run([tool.BINARY, *self.words(out, "--shard", "auto")], cwd=self.folder,
                              env={**clean, **variables}, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def report(self, name):
        return self.lines((self.folder / name).read_text())

    def test_three_shards_are_the_plan(self):
        self.tool(*self.words("whole"))
        for index in (1, 2, 3):
            self.tool(*self.words("parts", "--shard", f"{index}/3"))
        sizes = [len(self.report(f"parts/records-{index}-of-3.jsonl")) - 2 for index in (1, 2, 3)]
        self.assertTrue(all(sizes), sizes)
        self.tool("merge", "parts", "--out", "merged")
        self.assertEqual(without_times_of(self.report("merged/records.jsonl")), without_times_of(self.report("whole/records.jsonl")))

    def test_what_is_no_plan_is_exit_6(self):
        for index in (1, 2, 3):
            self.tool(*self.words("parts", "--shard", f"{index}/3"))
        one, two, three = (f"parts/records-{index}-of-3.jsonl" for index in (1, 2, 3))
        self.assertIn("missing: shard 2/3", self.tool("merge", one, three, "--out", "m", code=6).stderr)
        self.assertIn("in another shard", self.tool("merge", one, two, two, three, "--out", "m", code=6).stderr)
        self.tool(*self.words("other", "--shard", "2/3", "--set", "seed=2"))
        self.assertIn("differ in plan_hash", self.tool("merge", one, "other/records-2-of-3.jsonl", three, "--out", "m", code=6).stderr)
        self.tool(*self.words("alike", "--shard", "2/3", "--stages", "verify,determinism"))
        self.assertIn("differ in stages", self.tool("merge", one, "alike/records-2-of-3.jsonl", three, "--out", "m", code=6).stderr)
        text = (self.folder / two).read_text().splitlines(keepends=True)
        (self.folder / "cut.jsonl").write_text("".join(text[:-1]))
        self.assertIn("was not finished", self.tool("merge", one, "cut.jsonl", three, "--out", "m", code=6).stderr)
        other = [line.replace('"case_id":"', '"case_id":"f') if '"record/1' not in line and index == 3 else line for index, line in enumerate(text)]
        (self.folder / "forged.jsonl").write_text("".join(other))
        self.assertIn("records_hash", self.tool("merge", one, "forged.jsonl", three, "--out", "m", code=6).stderr)
        self.assertFalse((self.folder / "m").exists())

    def test_a_shard_belongs_to_one_run(self):
        self.tool(*self.words("parts", "--shard", "1/2"))
        self.assertIn("has parts/records-1-of-2.jsonl already", self.tool(*self.words("parts", "--shard", "1/2"), code=2).stderr)
        self.assertFalse((self.folder / "parts/records-1-of-2.jsonl.part").exists())
        self.tool(*self.words("parts", "--shard", "1/2", "--resume"))

    def test_replicated_shards_run_everything(self):
        self.tool(*self.words("whole"))
        for index in (1, 2):
            self.tool(*self.words("parts", "--shard", f"{index}/2", "--distribute", "replicate"))
            part = self.report(f"parts/records-{index}-of-2.jsonl")
            self.assertEqual(without_times_of(part)[1:], without_times_of(self.report("whole/records.jsonl"))[1:])
        self.assertIn("replicate", self.tool("merge", "parts", "--out", "m", code=6).stderr)

    def test_numbers_of_the_engines(self):
        for number, variables in enumerate((
            {"GTEST_SHARD_INDEX": "1", "GTEST_TOTAL_SHARDS": "4"},
            {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "4"},
            {"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "16", "SLURM_ARRAY_TASK_STEP": "2",
             "SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
            {"JOB_COMPLETION_INDEX": "1", "WARPMARK_SHARD_COUNT": "4"},
            {"AWS_BATCH_JOB_ARRAY_INDEX": "1", "AWS_BATCH_JOB_ARRAY_SIZE": "4"},
            {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"},
            {"SLURM_PROCID": "1", "SLURM_NTASKS": "4"},
            {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"},
            {"PMIX_RANK": "1", "WARPMARK_SHARD_COUNT": "4"},
        )):
            with self.subTest(variables=variables):
                self.auto(f"out{number}", **variables)
                self.assertEqual(self.report(f"out{number}/records-2-of-4.jsonl")[0]["shard"], {"index": 2, "count": 4, "distribute": "partition"})

    def test_a_shard_without_cases_is_no_failure(self):
        codes = [self.tool("verify", "--case", "matmul m=4 n=4 k=3", "--device", "emu", "--out", "few", "--shard", f"{index}/3") for index in (1, 2, 3)]
        self.assertEqual(sorted(len(done.stdout.splitlines()) > 2 for done in codes), [False, False, True])
        self.tool("merge", "few", "--out", "merged")

    def test_wrong_numbers(self):
        self.assertIn("none of these variables is set", self.auto("out", code=2))
        self.assertIn("set WARPMARK_SHARD_COUNT", self.auto("out", code=2, JOB_COMPLETION_INDEX="1"))
        self.assertIn("allowed: 1 to 4", self.auto("out", code=2, CI_NODE_INDEX="0", CI_NODE_TOTAL="4"))
        self.assertIn("expected a number", self.auto("out", code=2, SLURM_PROCID="x", SLURM_NTASKS="4"))
        for text, why in (("0/3", "allowed: 1 to 3"), ("4/3", "allowed: 1 to 3"), ("1/0", "allowed: 1 to"), ("3", "expected I/N"), ("a/b", "expected I/N")):
            self.assertIn(why, self.tool(*self.words("out", "--shard", text), code=2).stderr)
        self.assertFalse((self.folder / "out").exists())

    @unittest.skipUnless(shutil.which("mpirun"), "mpirun (package openmpi-bin) is not installed")
    def test_under_mpi(self):
        self.tool(*self.words("whole"))
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", tool.BINARY,
                               *self.words("parts", "--shard", "auto", "--jobs", "1")], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tool("merge", *sorted(map(str, pathlib.Path(self.folder, "parts").glob("*.jsonl"))), "--out", "merged")
        self.assertEqual(without_times_of(self.report("merged/records.jsonl")), without_times_of(self.report("whole/records.jsonl")))


if __name__ == "__main__":
    unittest.main()
