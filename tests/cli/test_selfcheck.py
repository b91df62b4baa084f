"""warpmark selfcheck: every planted fault is caught by its gate, under a minute, and nothing is caught where no fault is."""

import json
import time

from tool import ToolTest

# Faults that one recipe cannot see, and why they are faults nonetheless: the other one sees them.
BLIND = {
    "f16 accumulation behind an f32 claim": "exact",
    "TF32 behind an f32 claim": "exact",
    "read of uninitialised workspace": "exact",
    "atomic order change behind a deterministic claim": "exact",
    "batch-dependent choice behind a batch-invariant claim": "exact",
}
GATES = {
    "one element off by just over its bound": ("indexing", "precision"),
    "one lost term": ("indexing", "precision"),
    "one swapped index": ("indexing", "precision"),
    "one tile of zeros": ("indexing", "precision"),
    "all zeros": ("indexing", "precision"),
    "stale output": ("indexing", "precision"),
    "NaN for a finite value": ("indexing", "precision"),
    "f16 accumulation behind an f32 claim": (None, "precision"),
    "TF32 behind an f32 claim": (None, "precision"),
    "dropped tail": ("indexing", "precision"),
    "off-by-one in padding": ("indexing", "precision"),
    "missing barrier": ("indexing", "precision"),
    "missing barrier (emu-race)": ("race", "race"),
    "write past the end": ("fault", "fault"),
    "misaligned vector access": ("fault", "fault"),
    "read of uninitialised workspace": (None, "poison"),
    "atomic order change behind a deterministic claim": (None, "schedule"),
    "batch-dependent choice behind a batch-invariant claim": (None, "batch"),
}


class Selfcheck(ToolTest):
    def test_every_fault_is_caught_by_its_gate(self):
        start = time.monotonic()
        rows = self.lines(self.tool("selfcheck", "--format", "jsonl").stdout)
        self.assertLess(time.monotonic() - start, 60)
        for row in rows:
            self.assertEqual(list(row), ["fault", "recipe", "expected", "caught", "reason"])
        found = {(row["fault"], row["recipe"]): row for row in rows}
        self.assertEqual(len(found), len(rows))
        for fault, gates in GATES.items():
            for recipe, gate in zip(("exact", "normal"), gates):
                with self.subTest(fault=fault, recipe=recipe):
                    row = found.pop((fault, recipe))
                    self.assertEqual(row["expected"], gate is not None)
                    self.assertEqual(row["caught"], gate is not None)
                    self.assertRegex(row["reason"], f"^{gate}: ." if gate else "^[a-z]")
                    self.assertEqual(BLIND.get(fault) == recipe, gate is None)
        # What is left are the controls: two of the product, one a kernel, under both recipes.
        kernels = {fault for fault in GATES if fault not in list(GATES)[:7]}
        controls = {f"control: {fault}" for fault in kernels} | {
            "control: the product that is corrupted", "control: one element off by just less than its bound"}
        self.assertEqual(set(found), {(name, recipe) for name in controls for recipe in ("exact", "normal")})
        for row in found.values():
            self.assertEqual((row["expected"], row["caught"], row["reason"]), (False, False, "passed"))

    def test_the_table_says_it_all(self):
        text = self.tool("selfcheck").stdout
        self.assertRegex(text, r"(?m)^f16 accumulation behind an f32 claim +exact +cannot be seen small integers")
        self.assertRegex(text, r"(?m)^missing barrier \(emu-race\) +normal +race +race at missing_barrier.cu:")
        self.assertTrue(text.endswith("\n31 of 31 expected faults caught; 0 rows wrong\n"), text[-200:])

    def test_a_format_that_is_none(self):
        self.assertIn("jsonl", self.tool("selfcheck", "--format", "xml", code=2).stderr)

    def test_its_kernels_are_in_no_catalog(self):
        algorithms = json.loads(self.tool("list", "algorithms", "--format", "json").stdout)
        self.assertNotIn("sound_", json.dumps(algorithms))
        self.assertNotIn("faulty_", json.dumps(algorithms))
        self.tool("run", "--case", "matmul m=4 n=4 k=4 algo=faulty_hidden_atomic", code=2)


if __name__ == "__main__":
    import unittest

    unittest.main()
