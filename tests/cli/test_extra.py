"""A binary built over a user's own folder of kernels (WARPMARK_EXTRA)."""

import os
import shlex

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

    def test_a_race_is_reported_with_both_places(self):
        source = (tool.ROOT / "tests" / "extra_kernels" / "relu_paired.cu").read_text().splitlines()
        copied, clamped = (
            next(i for i, line in enumerate(source, 1) if line.lstrip().startswith(start))
            for start in ("y[i ^ 1] =", "y[i] =")
        )
        case = "activation_fwd n=2 c=4 h=3 w=5 fn=relu algo=relu_paired device=emu-race"
        record = self.lines(self.tool("run", "--out", "out", "--case", case, code=1).stdout)[1]
        self.assertEqual(record["status"], "error")
        self.assertEqual(
            record["reason"],
            f"race at relu_paired.cu:{copied} in kernel relu_paired_kernel, block (0,0,0), thread (1,0,0): "
            '4-byte write of byte 0 of buffer "y" (480 bytes); unordered after the 4-byte write by block (0,0,0), '
            f"thread (0,0,0) at relu_paired.cu:{clamped}",
        )
        # The record's own command finds it again.
        words = shlex.split(record["repro"])
        self.assertEqual(words[:3], ["warpmark", "run", "--case"])
        again = self.lines(self.tool(*words[1:], "--out", "again", code=1).stdout)[1]
        self.assertEqual(again["reason"], record["reason"])

    def test_a_kernel_without_races_passes_on_both_devices(self):
        case = "activation_fwd n=2 c=4 h=3 w=5 fn=relu algo=relu_scalar device="
        for device in ("emu", "emu-race"):
            record = self.lines(self.tool("run", "--out", f"out-{device}", "--case", case + device).stdout)[1]
            self.assertEqual((record["status"], record["device"]), ("passed", device))


if __name__ == "__main__":
    tool.unittest.main()
