"""--guard: which end of every buffer touches an inaccessible page; part of the case, of the record and
of its repro."""

import os
import shlex
import unittest.mock

import tool

MATMUL = "matmul m=17 n=33 k=19 dtype=f16 algo=register_tiled recipe=normal"
OVERRUN = "activation_fwd n=3 c=5 h=7 w=9 fn=relu algo=faulty_write_past_end"


class Guard(tool.ToolTest):
    def record(self, verb, *words, code=0):
        done = self.tool(verb, "--device", "emu", "--out", "out", "--force", "--format", "jsonl", *words, code=code)
        return self.lines(done.stdout)[1]

    def test_the_record_says_it_and_the_repro_reproduces_it(self):
        plain = self.record("run", "--case", MATMUL)
        self.assertNotIn("guard=", plain["case"])
        for guard in ("back", "front"):
            with self.subTest(guard=guard):
                record = self.record("run", "--guard", guard, "--case", MATMUL)
                self.assertIn(f" guard={guard} ", record["case"])
                self.assertNotEqual(record["case_id"], plain["case_id"])
                self.assertEqual(record["determinism"]["digests"], plain["determinism"]["digests"])
                again = self.record(*shlex.split(record["repro"])[1:])
                for key in ("case", "case_id"):
                    self.assertEqual(again[key], record[key])
                self.assertEqual(again["determinism"]["digests"], record["determinism"]["digests"])

    def test_verify_and_bench_have_it(self):
        for verb in ("verify", "bench"):
            with self.subTest(verb=verb):
                self.assertIn(" guard=front ", self.record(verb, "--guard", "front", "--case", MATMUL)["case"])

    def test_the_option_goes_before_the_case(self):
        self.assertNotIn("guard=", self.record("run", "--guard", "none", "--case", MATMUL + " guard=back")["case"])
        self.assertIn(" guard=front ", self.record("run", "--guard", "front", "--case", MATMUL + " guard=back")["case"])

    def test_one_element_too_many_is_caught_at_the_access(self):
        with unittest.mock.patch.object(tool, "BINARY", os.environ["WARPMARK_FAULTY"]):
            plain = self.record("run", "--case", OVERRUN, code=1)
            self.assertIn("4 bytes written after the end", plain["reason"])
            self.assertNotIn("thread", plain["reason"])
            record = self.record("run", "--guard", "back", "--case", OVERRUN, code=1)
            for words in ("out-of-bounds write", "block (7,0,0)", "thread (49,0,0)", 'buffer "y"', "0 bytes past its end"):
                self.assertIn(words, record["reason"])
            again = self.record(*shlex.split(record["repro"])[1:], code=1)
            self.assertEqual(again["reason"], record["reason"])


if __name__ == "__main__":
    tool.unittest.main()
