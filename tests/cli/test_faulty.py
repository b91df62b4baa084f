"""Kernels with one planted fault each (WARPMARK_FAULTY): every record red, with the right reason and
place, and the sweep goes on to its end."""

import os

import tool

tool.BINARY = os.environ["WARPMARK_FAULTY"]

RELU = "activation_fwd n=3 c=5 h=7 w=9 fn=relu"
MATMUL = "matmul m=40 n=36 k=300"

# fault: (case, recipe, status, what the reason must say)
EXPECTED = {
    "out_of_bounds_write": (RELU, "normal", "error", ["out-of-bounds", "element_kernel", "block", "thread", 'buffer "y"']),
    "write_past_end": (RELU, "normal", "error", ["4 bytes written after the end", 'buffer "y"']),
    "misaligned_vector": (RELU, "normal", "error", ["misaligned", "misaligned_vector.cu:", "block", "thread", 'buffer "x"']),
    "missing_barrier": (RELU, "normal", "failed", ["'y'", "worst at ["]),
    "divergent_barrier": (RELU, "normal", "error", ["divergent", "divergent_barrier.cu:"]),
    "deadlock": (RELU, "normal", "error", ["deadlock.cu:"]),
    "lost_tail": (RELU, "exact", "failed", ["'y'", "1 of 945", "NaN"]),
    "input_write": (RELU, "normal", "error", ["input 'x' was written"]),
    "zero_tile": (MATMUL, "exact", "failed", ["'d'", "worst at [", "got 0"]),
    "f16_accumulation": (MATMUL, "normal", "failed", ["'d'", "outside their bound"]),
    "hidden_atomic": (MATMUL, "normal", "nondeterministic", ["schedule", "'d'"]),
    "uninitialised_workspace": (MATMUL, "normal", "nondeterministic", ["workspace_poison", "'d'"]),
}


class Faulty(tool.ToolTest):
    def run_all(self, recipe, extra=()):
        cases = [
            word
            for fault, (case, _, _, _) in EXPECTED.items()
            for word in ("--case", f"{case} recipe={recipe} algo=faulty_{fault}")
        ]
        done = self.tool("run", "--device", "emu", "--out", f"out-{recipe}", *cases, *extra, code=1)
        lines = self.lines(done.stdout)
        self.assertEqual(len(lines), len(EXPECTED) + 2, "the sweep must go on after each fault")
        return {each["algorithm"].removeprefix("faulty_"): each for each in lines[1:-1]}

    def test_every_fault_is_red_with_its_reason_and_place(self):
        records = {recipe: self.run_all(recipe) for recipe in ("exact", "normal")}
        for fault, (_, recipe, status, words) in EXPECTED.items():
            record = records[recipe][fault]
            with self.subTest(fault=fault):
                self.assertEqual(record["status"], status, record["reason"])
                for word in words:
                    self.assertIn(word, record["reason"])
                self.assertIn("warpmark run --case", record["repro"])

    def test_f16_accumulation_hides_from_integers(self):
        # Why gate P exists: small integers are exact in f16 too.
        case = "matmul m=40 n=36 k=16 recipe=exact algo=faulty_f16_accumulation"
        self.tool("run", "--device", "emu", "--out", "out", "--case", case)

    def test_a_guard_page_names_the_thread_of_a_small_overrun(self):
        case = f"{RELU} algo=faulty_write_past_end guard=back"
        record = self.lines(self.tool("run", "--device", "emu", "--out", "out", "--case", case, code=1).stdout)[1]
        self.assertEqual(record["status"], "error")
        for word in ("out-of-bounds", "block (7,0,0)", "thread (49,0,0)", 'buffer "y"'):
            self.assertIn(word, record["reason"])

    def test_the_race_detector_names_both_lines(self):
        case = f"{RELU} algo=faulty_missing_barrier"
        done = self.tool("run", "--device", "emu-race", "--out", "out", "--case", case, code=1)
        record = self.lines(done.stdout)[1]
        self.assertEqual(record["status"], "error")
        for word in ("race at missing_barrier.cu:", "unordered after", "missing_barrier.cu:14", "missing_barrier.cu:16", 'shared array "tile"'):
            self.assertIn(word, record["reason"])

    def test_hundreds_of_faults_in_one_sweep(self):
        self.write(
            "many.json",
            {
                "name": "many",
                "cases": [
                    {"op": "activation_fwd", "fn": "relu", "c": 1, "h": 1, "w": 200, "algo": "faulty_*",
                     "n": {"range": [1, 100, 1]}, "layout": "nchw", "dtype": "f32"}
                ],
            },
        )
        summary = self.lines(self.tool("run", "many.json", "--device", "emu", "--out", "out", code=1).stdout)[-1]
        self.assertEqual(summary["records"], 900)
        self.assertGreaterEqual(summary["counts"]["error"], 500)


if __name__ == "__main__":
    tool.unittest.main()
