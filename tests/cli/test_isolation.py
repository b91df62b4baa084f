"""Worker processes: whatever a case does to its process costs its own record, and nothing else."""

import os
import signal
import subprocess
import time
import unittest

import tool

FAULTY = os.environ["WARPMARK_FAULTY"]
# AddressSanitizer reports a fault outside kernels and ends the process itself.
SEGFAULT = r"the worker process exited with code 1" if os.environ.get("WARPMARK_SANITIZE") else r"killed by SIGSEGV \(Segmentation fault\)"
PERIOD = 200  # of tests/faulty/process_killer.cu
KILLER = {
    "op": "activation_fwd", "fn": "relu", "n": 1, "c": 1, "h": 1,
    "algo": "faulty_process_killer", "layout": "nchw", "dtype": "f32",
}


class KillerTest(tool.ToolTest):
    def faulty(self, *words, code):
        done = subprocess.run([FAULTY, *words, "--no-progress"], cwd=self.folder, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, code, done.stderr[-2000:])
        return self.lines(done.stdout)

    def widths(self, first, last):
        self.write("killer.json", {"name": "killer", "cases": [dict(KILLER, w={"range": [first, last, 1]})]})


class Isolation(KillerTest):
    def test_each_end_of_a_process_is_one_error_record(self):
        self.widths(1001, 1200)
        lines = self.faulty("verify", "killer.json", "--device", "emu", "--timeout", "0.5s", "--out", "out", code=1)
        records = {line["problem"]["w"] % PERIOD: line for line in lines[1:-1]}
        self.assertEqual(len(records), PERIOD)
        expected = {
            1: rf"{SEGFAULT}; last launch: kernel element_kernel, grid \(\d+,1,1\), block \(128,1,1\)",
            101: r"killed by SIGABRT .*; last launch: kernel element_kernel",
            51: r"timeout: ran longer than 0.5 s; last launch: kernel element_kernel",
            151: r"timeout: ran longer than 0.5 s",
        }
        for width, record in records.items():
            if width in expected:
                self.assertEqual(record["status"], "error")
                self.assertRegex(record["reason"], expected[width])
                self.assertIn("warpmark run --case", record["repro"])
            else:
                self.assertEqual(record["status"], "passed", record["reason"])
        self.assertEqual(lines[-1]["counts"], {"error": 4, "passed": 196})

    def test_the_report_is_in_the_order_of_the_plan(self):
        self.widths(1001, 1060)
        self.faulty("verify", "killer.json", "--device", "emu", "--timeout", "0.5s", "--jobs", "3", "--out", "out", code=1)
        lines = self.lines((self.folder / "out" / "records.jsonl").read_text())
        self.assertEqual([line["index"] for line in lines[1:-1]], list(range(60)))

    def test_without_isolation_the_records_are_the_same(self):
        digests = []
        for name, words in (("in", ["--no-isolation"]), ("out", [])):
            done = self.tool("run", "--case", "matmul m=33 n=17 k=9", "--device", "emu", "--out", name, *words)
            digests.append({line["variant"]: line["determinism"]["digests"] for line in self.lines(done.stdout)[1:-1]})
        self.assertEqual(*digests)

    def test_no_worker_outlives_a_killed_run(self):
        self.widths(51, 51)  # never ends
        run = subprocess.Popen([FAULTY, "verify", "killer.json", "--device", "emu", "--timeout", "0", "--out", "out"],
                               cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        workers = self.wait_for(lambda: self.children(run.pid))
        run.kill()
        run.wait()
        self.wait_for(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))

    def test_ctrl_c_ends_a_case_that_never_ends(self):
        self.widths(50, 51)
        run = subprocess.Popen([FAULTY, "verify", "killer.json", "--device", "emu", "--timeout", "0", "--out", "out"],
                               cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = self.folder / "out" / "records.jsonl"
        self.wait_for(lambda: report.exists() and report.read_text().count("\n") == 2)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=20), 130)
        lines = self.lines(report.read_text())
        self.assertTrue(lines[-1]["interrupted"])
        self.assertEqual(lines[-1]["records"], 1)

    def test_a_stopped_worker_is_replaced(self):
        self.widths(51, 52)
        run = subprocess.Popen([FAULTY, "verify", "killer.json", "--device", "emu", "--timeout", "1s", "--jobs", "1", "--out", "out"],
                               cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.kill(int(self.wait_for(lambda: self.children(run.pid))[0]), signal.SIGSTOP)
        self.assertEqual(run.wait(timeout=60), 1)
        lines = self.lines((self.folder / "out" / "records.jsonl").read_text())
        self.assertEqual(lines[-1]["counts"], {"error": 1, "passed": 1})

    def test_bytes_that_are_no_text(self):
        name = os.fsdecode(b"o\xffut")
        done = subprocess.run([tool.BINARY, "verify", "--case", "matmul m=2 n=2 k=2", "--device", "emu", "--out", name], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.lines((self.folder / name / "records.jsonl").read_text())

    def test_far_too_many_jobs(self):
        self.tool("verify", "--case", "matmul m=64 n=64 k=3", "--device", "emu", "--jobs", "100000", "--out", "out")

    def test_planning_can_be_interrupted(self):
        self.write("huge.json", {"cases": [{"op": "matmul", "m": {"range": [1, 100000, 1]}, "n": {"range": [1, 10000, 1]}, "k": 1}]})
        run = subprocess.Popen([tool.BINARY, "run", "huge.json", "--device", "emu", "--out", "out"], cwd=self.folder)
        self.addCleanup(run.kill)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=10), -signal.SIGINT)
        self.assertFalse((self.folder / "out").exists())

    def test_a_time_budget_skips_what_does_not_fit(self):
        self.widths(2, 45)
        done = self.tool("verify", "--case", "matmul m=300 n=300 k=300", "--case", "matmul m=301 n=300 k=300",
                         "--device", "emu", "--jobs", "1", "--time-budget", "0.001s", "--out", "out", code=77)
        for line in self.lines(done.stdout)[1:-1]:
            self.assertEqual(line["status"], "skipped")
            self.assertRegex(line["reason"], "^budget: the time budget of 0.001 s was used up")

    def children(self, pid):
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as text:
                return text.read().split()
        except OSError:
            return []

    def wait_for(self, condition):
        for _ in range(400):
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        self.fail("waited 20 s in vain")


if __name__ == "__main__":
    unittest.main()
