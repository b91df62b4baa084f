"""A binary built over a user's own folder of kernels (WARPMARK_EXTRA)."""

import os

import tool

tool.BINARY = os.environ["WARPMARK_EXTRA"]


class Extra(tool.ToolTest):
    def test_the_kernel_is_listed_and_passes_every_gate(self):
        self.assertIn("activation_fwd/relu_scalar", self.tool("list", "algorithms").stdout)
        cases = [
            word
            for recipe in ("exact", "normal")
            for guard in ("back", "front")
            for word in (
                "--case",
                f"activation_fwd n=2 c=3 h=11 w=13 fn=relu recipe={recipe} guard={guard} algo=relu_scalar",
            )
        ]
        lines = self.lines(self.tool("run", "--device", "emu", "--out", "out", *cases).stdout)
        self.assertEqual(lines[-1]["counts"], {"passed": 4})


if __name__ == "__main__":
    tool.unittest.main()
