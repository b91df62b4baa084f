"""A run killed at any moment loses at most the records that were being made; --resume finishes it."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

import tool

SWEEP = {
    "name": "many",
    "run": {"recipes": ["exact", "normal"]},
    "cases": [
        {"op": "matmul", "m": {"range": [1, 12, 1]}, "n": [3, 17], "k": [5, 64], "algo": "*"},
        {"op": "activation_fwd", "fn": ["relu", "tanh"], "n": 1, "c": 2, "h": 3, "w": {"range": [1, 10, 1]}},
    ],
}
TIMES = {"timing", "throughput", "wall_s", "command", "scheduler", "started"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return value


class Resume(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.write("many.json", SWEEP)

    def run_words(self, out, *words):
        return [tool.BINARY, "verify", "many.json", "--device", "emu", "--no-progress", "--out", out, *words]

    def report(self, out):
        return self.lines((self.folder / out / "records.jsonl").read_text())

    def whole_lines(self, out):
        path = self.folder / out / "records.jsonl"
        return path.read_text().splitlines(keepends=True) if path.exists() else []

    def killed_at(self, out, seconds):
        run = subprocess.Popen(self.run_words(out), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        run.send_signal(signal.SIGKILL)
        run.wait()

    def test_killed_at_twenty_random_moments(self):
        start = time.monotonic()
        self.tool(*self.run_words("whole")[1:])
        lasting = time.monotonic() - start
        whole = without_times_of(self.report("whole"))
        moments = random.Random(20)
        cut_short = 0
        for turn in range(20):
            out = f"killed-{turn}"
            self.killed_at(out, moments.uniform(0, lasting))
            before = [line for line in self.whole_lines(out) if line.endswith("\n")]
            for line in before:
                json.loads(line)
            cut_short += 1 < len(before) < len(whole)
            if not before:  # killed before it began
                shutil.rmtree(self.folder / out, ignore_errors=True)
                self.tool(*self.run_words(out)[1:])
            else:
                self.tool(*self.run_words(out, "--resume")[1:])
            self.assertEqual(without_times_of(self.report(out)), whole)
            kept = {line for line in before if '"warpmark.record/1"' in line}
            self.assertTrue(kept <= set(self.whole_lines(out)), "a record on disk was made again")
        self.assertGreater(cut_short, 3, "the moments never fell into the run")

    def test_a_cut_line_is_made_again(self):
        self.tool(*self.run_words("out")[1:])
        path = self.folder / "out" / "records.jsonl"
        whole = self.report("out")
        text = path.read_text()
        path.write_text(text[: len(text) * 2 // 3])
        done = self.tool(*self.run_words("out", "--resume")[1:])
        self.assertLess(len(done.stdout.splitlines()), len(whole) - 20, "only what is missing is made")
        self.assertEqual(without_times_of(self.report("out")), without_times_of(whole))
        self.assertEqual((self.folder / "out" / "report.md").read_text().count("Wall time"), 1)

    def test_a_finished_report_stays(self):
        self.tool(*self.run_words("out")[1:])
        before = without_times_of(self.report("out"))
        self.tool(*self.run_words("out", "--resume")[1:])
        self.assertEqual(without_times_of(self.report("out")), before)

    def test_another_plan_or_other_settings_are_refused(self):
        self.tool(*self.run_words("out")[1:])
        before = (self.folder / "out" / "records.jsonl").read_text()
        other = self.run_words("out", "--resume", "--set", "seed=2")
        self.assertIn("plan_hash", self.tool(*other[1:], code=2).stderr)
        for words in (["--stages", "verify,determinism"], ["--filter", "matmul/*"], ["--guard", "back"]):
            self.assertIn("was begun with", self.tool(*self.run_words("out", "--resume", *words)[1:], code=2).stderr)
        self.assertIn("there is no", self.tool(*self.run_words("none", "--resume")[1:], code=2).stderr)
        self.assertIn("--resume", self.tool(*self.run_words("out")[1:], code=2).stderr)
        self.assertEqual((self.folder / "out" / "records.jsonl").read_text(), before)

    def test_a_full_disk_is_exit_5_and_leaves_whole_lines(self):
        # A limit on the size of a file stands for the disk: the same error, at the same call.
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

        done = subprocess.run(self.run_words("out"), cwd=self.folder, preexec_fn=limit, capture_output=True, text=True)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("out/records.jsonl", done.stderr)
        text = (self.folder / "out" / "records.jsonl").read_text()
        self.assertTrue(text.endswith("\n"))
        self.assertGreater(len(self.lines(text)), 5)
        self.tool(*self.run_words("out", "--resume")[1:])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "mounting a small disk needs root")
    def test_a_really_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("tmpfs cannot be mounted here")
        try:
            done = self.tool(*self.run_words("disk/out")[1:], code=5)
            self.assertIn("disk/out/records.jsonl: No space left on device", done.stderr)
            self.lines((disk / "out" / "records.jsonl").read_text())
        finally:
            subprocess.run(["umount", disk], check=True)


def without_times_of(lines):
    return [without_times(line) for line in lines]


if __name__ == "__main__":
    unittest.main()
