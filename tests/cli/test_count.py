"""--count: counters of a run on the race flavour, in records, tables, reports and explain."""

import csv
import io
import json

import jsonschema

from tool import ROOT, ToolTest, unittest

SCHEMA = json.loads((ROOT / "configs" / "schema" / "record.schema.json").read_text())
# A block of 8 warps; warp y computes row y. Each step of k a warp reads one element of a (1 sector
# of which 4 bytes are used) and 32 neighbours of b (4 sectors); at the end it writes 4 sectors.
NAIVE = "matmul m=8 n=32 k=16 algo=naive"
WARPS, STEPS = 8, 16
EXPECTED = {
    "global_sectors_requested": WARPS * STEPS * (1 + 4) + WARPS * 4,
    "global_sectors_used": WARPS * STEPS * (1 + 4) + WARPS * 4,
    "global_load_requests": WARPS * STEPS * 2,
    "global_load_lanes": WARPS * STEPS * 2 * 32,
    "global_load_sectors": WARPS * STEPS * (1 + 4),
    "global_load_sectors_used": WARPS * STEPS * (1 + 4),
    "global_load_bytes_used": WARPS * STEPS * (4 + 128),
    "global_store_requests": WARPS,
    "global_store_lanes": WARPS * 32,
    "global_store_sectors": WARPS * 4,
    "global_store_sectors_used": WARPS * 4,
    "global_store_bytes_used": WARPS * 128,
}


def numbers(counters):
    return {key: value for key, value in counters.items() if isinstance(value, int) and value}


class Count(ToolTest):
    def count(self, *cases, options=()):
        words = [word for case in cases for word in ("--case", case)]
        text = self.tool("run", "--count", "--out", "out", "--force", *words, *options).stdout
        return [line for line in self.lines(text) if line["schema"].startswith("warpmark.record")]

    def test_a_record_has_the_counts_worked_out_by_hand(self):
        record, = self.count(NAIVE)
        detail = {**SCHEMA["definitions"]["record"], "definitions": SCHEMA["definitions"]}
        jsonschema.Draft7Validator(detail).validate(record)
        self.assertEqual((record["status"], record["device"]), ("passed", "emu-race"))
        counters = record["counters"]
        self.assertEqual(numbers(counters), EXPECTED)
        self.assertRegex(counters["compiler"], r"^(gcc|clang) \d+")
        self.assertIn("-fsanitize=thread -O1", counters["flags"])
        kernel, = counters["kernels"]
        self.assertEqual(kernel["kernel"], "naive_kernel<float>")
        shape = {"launches": 1, "blocks": 1, "threads": 256}
        self.assertEqual(numbers(kernel), {**shape, **EXPECTED})

    def test_counts_repeat_under_every_schedule(self):
        cases = [
            f"{op} {extra}"
            for op in ("matmul m=70 n=66 k=40 dtype=f16", "softmax_fwd n=3 c=300", "conv_fwd n=1 c=3 h=7 w=9 k=5 r=3 s=3")
            for extra in ("schedule=in_order", "schedule=in_order", "schedule=reverse", "schedule=random:3")
        ]
        seen = {}
        for record in self.count(*cases, options=("--stages", "verify")):
            seen.setdefault(record["variant"], []).append(record["counters"])
        self.assertGreaterEqual(len(seen), 8)
        for variant, (first, *others) in seen.items():
            self.assertEqual(len(others), 3, variant)
            for other in others:
                self.assertEqual(other, first, variant)

    def test_totals_are_sums_of_the_kernels(self):
        record, = self.count("matmul m=32 n=32 k=1000 algo=split_k_ordered")
        counters = record["counters"]
        self.assertGreaterEqual(len(counters["kernels"]), 2)
        for key, value in counters.items():
            if isinstance(value, int):
                self.assertEqual(value, sum(kernel[key] for kernel in counters["kernels"]), key)

    def test_another_problem_has_other_counts(self):
        records = self.count(NAIVE, NAIVE + " b.offset=1")
        # Workers finish in any order.
        records.sort(key=lambda record: "offset" in record["case"])
        loads = [record["counters"]["global_load_sectors"] for record in records]
        # Rows of b begin 4 bytes past a sector: 5 sectors instead of 4.
        self.assertEqual(loads[1] - loads[0], WARPS * STEPS)

    def test_every_stage_and_verb(self):
        for verb, extra in (("verify", ()), ("bench", ()), ("bench", ("--set", "recipe=exact"))):
            with self.subTest(verb=verb, extra=extra):
                text = self.tool(verb, "--count", "--case", NAIVE, "--out", "out", "--force", *extra).stdout
                self.assertEqual(numbers(self.lines(text)[1]["counters"]), EXPECTED)

    def test_without_count_there_are_none(self):
        text = self.tool("run", "--device", "emu-race", "--case", NAIVE, "--out", "out").stdout
        self.assertNotIn("counters", self.lines(text)[1])

    def test_a_device_that_cannot_count_is_a_usage_error(self):
        for words in (("--device", "emu", "--case", NAIVE), ("--case", NAIVE + " device=emu")):
            with self.subTest(words=words):
                done = self.tool("run", "--count", "--out", "out", *words, code=2)
                self.assertIn("--count needs device emu-race", done.stderr)
                self.assertFalse((self.folder / "out").exists())
        self.assertIn(
            "--count needs device emu-race",
            self.tool("explain", "--count", "--device", "emu", "--case", NAIVE, code=2).stderr,
        )

    def test_table_csv_and_report(self):
        table = self.tool("run", "--count", "--case", NAIVE, "--format", "table", "--out", "out").stdout
        self.assertIn(
            "  counters: 672 sectors, 100 % used; 0 wavefronts, 0 conflicts; 32 lanes a request; 0 barriers; "
            "0 atomics; 0 mma\n",
            table,
        )
        report = (self.folder / "out" / "report.md").read_text()
        self.assertIn("## Counters", report)
        self.assertRegex(report, r"naive\\?_kernel.*\| 672 \| 100 \| 0 \| 0 \| 32 \|")
        text = self.tool("report", "out/records.jsonl", "--format", "csv").stdout
        row, = csv.DictReader(io.StringIO(text))
        self.assertEqual((row["global_sectors_requested"], row["shared_conflicts"]), ("672", "0"))

    def test_explain(self):
        text = self.tool("explain", "--count", "--case", NAIVE).stdout
        self.assertIn("counters: 672 sectors, 100 % used", text)
        self.assertIn("      global_load_requests: 256\n", text)
        answer = json.loads(self.tool("explain", "--count", "--case", NAIVE, "--format", "json").stdout)
        self.assertEqual(numbers(answer["algorithms"][0]["counters"]), EXPECTED)
        self.assertNotIn("counters", self.tool("explain", "--case", NAIVE).stdout)

    def test_register_tiles_and_tensor_cores_have_no_conflicts(self):
        records = self.count(
            "matmul m=128 n=128 k=64 algo=register_tiled config=tile=128x128x8",
            "matmul m=128 n=128 k=64 dtype=f16 algo=tensor_core",
            options=("--stages", "verify"),
        )
        for record in records:
            self.assertEqual(record["counters"]["shared_load_conflicts"], 0, record["variant"])
            self.assertEqual(record["counters"]["ldmatrix_conflicts"], 0, record["variant"])


if __name__ == "__main__":
    unittest.main()
