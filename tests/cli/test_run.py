"""run, explain, list and report on small cases on the emulator."""

import csv
import io
import json
import signal
import subprocess
import time

import jsonschema

from tool import BINARY, ROOT, ToolTest

RECORD = json.loads((ROOT / "configs" / "schema" / "record.schema.json").read_text())
CASE = "matmul m=5 n=7 k=9 dtype=f32 algo=*"


class Run(ToolTest):
    def run_case(self, *words, code=0):
        return self.tool("run", "--device", "emu", "--out", "out", "--force", *words, code=code)

    def test_report_folder_and_stdout_agree_and_validate(self):
        text = self.run_case("--case", CASE, "--case", CASE + " recipe=exact").stdout
        # Standard output has the records as they were finished, the report in the order of the plan.
        stored = (self.folder / "out" / "records.jsonl").read_text()
        self.assertEqual(sorted(text.splitlines()), sorted(stored.splitlines()))
        self.assertEqual([text.splitlines()[i] for i in (0, -1)], [stored.splitlines()[i] for i in (0, -1)])
        lines = self.lines(text)
        validator = jsonschema.Draft7Validator(RECORD)
        for line in lines:
            errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(line)]
            kind = RECORD["definitions"][line["schema"].split(".")[1].split("/")[0]]
            detail = jsonschema.Draft7Validator({**kind, "definitions": RECORD["definitions"]})
            errors += [f"{list(error.path)}: {error.message}" for error in detail.iter_errors(line)]
            self.assertEqual(errors, [])
        header, records, summary = lines[0], lines[1:-1], lines[-1]
        self.assertEqual(header["planned"], len(records))
        self.assertEqual(summary["records"], len(records))
        self.assertGreaterEqual(len(records), 4)
        self.assertEqual({each["status"] for each in records}, {"passed"})
        report = (self.folder / "out" / "report.md").read_text()
        self.assertIn("## Algorithms", report)
        self.assertIn(header["plan_hash"], report)

    def test_repro_gives_the_same_digests_and_id(self):
        record = self.lines(self.run_case("--case", "matmul m=5 n=7 k=9 algo=naive dtype=f16").stdout)[1]
        again = self.lines(self.run_case("--case", record["case"]).stdout)[1]
        self.assertEqual(again["case_id"], record["case_id"])
        self.assertEqual(again["determinism"]["digests"], record["determinism"]["digests"])
        shell = subprocess.run(
            record["repro"].replace("warpmark", BINARY, 1) + " --no-progress",
            shell=True, cwd=self.folder, capture_output=True, text=True, check=True,
        )
        self.assertEqual(self.lines(shell.stdout)[1]["case_id"], record["case_id"])

    def test_quick_config_is_green_and_covers_every_algorithm(self):
        self.run_case(ROOT / "configs" / "quick.json")
        lines = self.lines((self.folder / "out" / "records.jsonl").read_text())
        self.assertGreaterEqual(lines[-1]["counts"]["passed"], 200)
        for line in lines[1:-1]:
            self.assertIn(line["status"], ("passed", "unsupported", "skipped"), line["repro"])
        algorithms = json.loads(self.tool("list", "algorithms", "--format", "json").stdout)
        passed = {(each["op"], each["algorithm"]) for each in lines[1:-1] if each["status"] == "passed"}
        self.assertEqual(passed, {(each["op"], each["algorithm"]) for each in algorithms})
        differing = {
            each["algorithm"]
            for each in lines[1:-1]
            if any(
                verdict["verdict"] == "differs"
                for probe in each.get("determinism", {}).get("probes", {}).values()
                for verdict in probe.values()
            )
        }
        self.assertEqual(differing, {"split_k_atomic", "scatter_atomic", "split_atomic"})

    def test_default_folder_is_named_after_the_plan(self):
        self.write("mine.json", {"cases": [{"op": "softmax_fwd", "n": 2, "c": 4}]})
        header = self.lines(self.tool("run", "mine.json", "--device", "emu").stdout)[0]
        folder, = (self.folder / "reports" / "runs").iterdir()
        self.assertRegex(folder.name, r"^mine-\d{8}T\d{6}Z-" + header["plan_hash"][:8] + "$")

    def test_the_environment_can_be_redacted(self):
        case = ["--case", "matmul m=2 n=2 k=2", "--device", "emu", "--out"]
        plain = self.lines(self.tool("run", *case, "plain").stdout)[0]["environment"]
        hidden = self.lines(self.tool("run", *case, "hidden", "--redact").stdout)[0]["environment"]
        self.assertNotEqual(plain["host"]["name"], "redacted")
        self.assertEqual((hidden["host"]["name"], hidden["host"]["user"], hidden["redacted"]), ("redacted", "redacted", True))
        self.assertEqual(plain["host"]["cpu"], hidden["host"]["cpu"])

    def test_stages(self):
        record = self.lines(self.run_case("--case", CASE, "--stages", "verify").stdout)[1]
        self.assertIn("accuracy", record)
        self.assertNotIn("determinism", record)
        self.assertNotIn("timing", record)
        done = self.tool("bench", "--case", CASE, "--device", "emu", "--out", "b").stdout
        record = self.lines(done)[1]
        self.assertIn("timing", record)
        self.assertNotIn("accuracy", record)
        done = self.tool("verify", "--case", CASE, "--device", "emu", "--out", "v").stdout
        self.assertEqual(self.lines(done)[0]["stages"], ["verify"])

    def test_filter_and_exit_6(self):
        records = self.lines(self.run_case("--case", CASE, "--filter", "*/naive/*").stdout)[1:-1]
        self.assertEqual([each["algorithm"] for each in records], ["naive"])
        self.run_case("--case", CASE, "--filter", "nothing*", code=6)

    def test_everything_unsupported_is_exit_77(self):
        record = self.lines(self.run_case("--case", "matmul m=1 n=1 k=1 algo=naive dtype=s8", code=77).stdout)[1]
        self.assertEqual(record["status"], "unsupported")
        self.assertIn("s8", record["reason"])

    def test_unmet_coverage_is_exit_3(self):
        config = self.write(
            "s.json",
            {"cases": [{"op": "matmul", "m": 2, "n": 2, "k": 2, "algo": "naive"}],
             "require": {"min_passed_per_variant": 2}},
        )
        done = self.run_case(config, code=3)
        self.assertIn("fewer than 2", done.stderr)
        self.run_case(config, "--set", "seed=[1,2]")

    def test_required_device_is_exit_5(self):
        config = self.write(
            "s.json",
            {"cases": [{"op": "matmul", "m": 2, "n": 2, "k": 2}], "require": {"device": "cuda"}},
        )
        self.assertIn("CUDA", self.run_case(config, code=5).stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_force_replaces_a_report(self):
        self.run_case("--case", CASE)
        self.run_case("--case", "matmul m=1 n=1 k=1 algo=naive")
        self.assertEqual(len((self.folder / "out" / "records.jsonl").read_text().splitlines()), 3)

    def test_expect_is_a_golden_check(self):
        fixed = "matmul m=1 n=1 k=2 algo=naive in.a=[2,3] in.b=[5,7] expect.d="
        self.run_case("--case", fixed + "[31]")
        record = self.lines(self.run_case("--case", fixed + "[30]", code=1).stdout)[1]
        self.assertEqual(record["status"], "failed")
        self.assertIn("expect.d", record["reason"])
        self.run_case("--case", fixed + "[30] atol=1")

    def test_fail_on(self):
        wrong = "matmul m=1 n=1 k=1 algo=naive in.a=[2] in.b=[3] expect.d=[7]"
        self.run_case("--case", wrong, "--fail-on", "error", code=0)
        done = self.run_case("--case", wrong, code=1)
        self.assertIn("warpmark run --case", done.stderr)

    def test_formats(self):
        table = self.run_case("--case", CASE, "--format", "table").stdout
        self.assertIn("matmul/naive/f32.f32.f32: m=5 n=7 k=9", table)
        self.assertIn("emulated", table)
        rows = list(csv.DictReader(io.StringIO(self.run_case("--case", CASE, "--format", "csv").stdout)))
        self.assertEqual({row["status"] for row in rows}, {"passed"})
        self.assertTrue(self.run_case("--case", CASE, "--format", "md").stdout.startswith("# warpmark report"))

    def test_report_verb_renders_what_run_wrote(self):
        self.run_case("--case", CASE)
        written = (self.folder / "out" / "report.md").read_text()
        self.assertEqual(self.tool("report", "out").stdout, written)
        self.tool("report", "out/records.jsonl", "--format", "csv", "-o", "r.csv")
        self.assertIn("case_id,status", (self.folder / "r.csv").read_text())
        self.assertIn("records:", self.tool("report", "out", "--format", "table").stdout)

    def test_labels_give_network_totals(self):
        layers = {"zip": {"c": [2, 3], "label": ["a|b", "two"], "count": [2, 5]}}
        config = self.write("net.json", {"cases": [{"op": "softmax_fwd", "n": 2, **layers}]})
        self.tool("run", config, "--device", "emu", "--out", "net")
        report = (self.folder / "net" / "report.md").read_text()
        self.assertIn("## Network totals", report)
        self.assertIn("2 of 2", report)

    def test_interrupt_closes_the_report(self):
        config = self.write(
            "long.json",
            {"cases": [{"op": "matmul", "m": 96, "n": 96, "k": {"range": [64, 3000]}, "algo": "naive"}]},
        )
        process = subprocess.Popen(
            [BINARY, "run", config, "--device", "emu", "--out", "long"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        records = self.folder / "long" / "records.jsonl"
        deadline = time.time() + 60
        while time.time() < deadline and (not records.exists() or records.read_text().count("\n") < 3):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        lines = self.lines(records.read_text())
        self.assertTrue(lines[-1]["interrupted"])
        self.assertIn("interrupted", (self.folder / "long" / "report.md").read_text())

    def test_list(self):
        text = self.tool("list", "algorithms").stdout
        for line in text.splitlines():
            self.assertRegex(line, r"^[a-z_]+/[a-z0-9_]+  ")
        algorithms = json.loads(self.tool("list", "algorithms", "--format", "json").stdout)
        self.assertEqual(len(text.splitlines()), len(algorithms))
        ops = {op["name"]: op for op in json.loads(self.tool("list", "ops", "--format", "json").stdout)}
        self.assertEqual({each["op"] for each in algorithms}, set(ops))
        conv = {tensor["name"] for tensor in ops["conv_fwd"]["tensors"]}
        self.assertLessEqual({"x", "w", "y", "bias", "z", "y_in"}, conv)
        for op in ops:
            self.assertIn("\n" + op + "  ", "\n" + self.tool("list", "ops").stdout)
        self.assertIn("emu", self.tool("list", "devices").stdout)
        self.assertIn("exact", self.tool("list", "recipes").stdout)

    def test_explain(self):
        text = self.tool("explain", "--case", CASE).stdout
        self.assertIn("FLOPs: 630", text)
        self.assertIn("matmul/naive/f32.f32.f32", text)
        answer = json.loads(self.tool("explain", "--case", CASE, "--format", "json").stdout)
        self.assertEqual(answer["flops"], 630)
        self.assertTrue(all(each["supported"] for each in answer["algorithms"]))
