"""The audit of the whole library, with the race detector (slow)."""

import unittest

from tool import ToolTest


class WholeLibrary(ToolTest):
    def test_every_claim_holds_and_nothing_races(self):
        done = self.tool("audit", "--library", "all", "--races", "--device", "emu", "--out", "out", "--no-progress", "--format", "jsonl")
        summary = self.lines(done.stdout)[-1]
        self.assertEqual(set(summary["counts"]) - {"passed", "unsupported", "skipped"}, set())
        self.assertEqual(summary["nondeterminism_not_observed"], [], "no problem shows what the claim says")


if __name__ == "__main__":
    unittest.main()
