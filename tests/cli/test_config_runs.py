"""Every scaled sweep of configs/ runs on the emulator: nothing fails."""

from tool import ROOT, ToolTest

SHORT = {"quick", "resnet50_conv"}  # have tests of their own


class ConfigRuns(ToolTest):
    def test_each_passes(self):
        names = sorted(path.stem for path in (ROOT / "configs").glob("*.json") if path.stem not in SHORT)
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            with self.subTest(name=name):
                done = self.tool(
                    "run", ROOT / "configs" / f"{name}.json", "--device", "emu", "--out", name, "--no-progress"
                )
                records = self.lines(done.stdout)[1:-1]
                self.assertGreater(sum(record["status"] == "passed" for record in records), 0)
                for record in records:
                    self.assertIn(record["status"], ("passed", "unsupported"), record["reason"])


if __name__ == "__main__":
    import unittest

    unittest.main()
