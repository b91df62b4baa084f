"""All ResNet-50 convolutions through every algorithm: everything passes, and exactly the algorithms that
claim to be nondeterministic are seen to differ."""

import collections

from tool import ROOT, ToolTest

ATOMIC = {"conv_bwd_data/scatter_atomic", "conv_bwd_filter/split_atomic"}


class Resnet50(ToolTest):
    def test_sweep(self):
        done = self.tool("run", str(ROOT / "configs" / "resnet50_conv.json"), "--device", "emu", "--out", "out", "--no-progress")
        lines = self.lines(done.stdout)
        records = lines[1:-1]
        self.assertEqual(len(records), lines[0]["planned"])
        for record in records:
            self.assertIn(record["status"], ("passed", "unsupported"), record["reason"])
            self.assertTrue(record["status"] == "passed" or record["reason"])
        differs = collections.Counter()
        for record in records:
            name = f"{record['op']}/{record['algorithm']}"
            for verdict in record["determinism"]["probes"]["schedule"].values():
                if verdict["verdict"] == "differs":
                    self.assertTrue(record["recipe"].startswith("normal"), record["repro"])
                    self.assertFalse(record["claims"]["deterministic"], record["repro"])
                    differs[name] += 1
        self.assertEqual(set(differs), ATOMIC)
        layers = {(r["label"], str(r["problem"])): r["count"] for r in records if r["op"] == "conv_fwd"}
        self.assertEqual((len(layers), sum(layers.values())), (23, 53))


if __name__ == "__main__":
    import unittest

    unittest.main()
