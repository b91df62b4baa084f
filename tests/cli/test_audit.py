"""warpmark audit: every probe has a verdict, a broken claim is caught by name, gates and golden digests."""

import json
import os
import re
import unittest

import jsonschema

import tool

ROOT = tool.ROOT
FAULTY = os.environ["WARPMARK_FAULTY"]
SCHEMA = json.loads((ROOT / "configs" / "schema" / "record.schema.json").read_text())
PROBES = [
    "rerun", "process", "schedule", "streams", "output_poison", "workspace_poison", "order", "alignment",
    "strided", "batch", "padding", "algorithms", "config", "graph", "twin", "device",
]
NEEDS_CUDA = {"streams", "graph", "twin", "device"}
MATMUL = "matmul m=40 n=36 k=300"
ATOMIC = "matmul m=16 n=24 k=1200 algo=split_k_atomic"


class AuditTest(tool.ToolTest):
    def audit(self, *words, code=0, verb="audit"):
        """The records, the summary and what was said on standard error."""
        output = ["--out", "out", "--force", "--no-progress", "--format", "jsonl"]
        done = self.tool(verb, *words, "--device", "emu", *output, code=code)
        lines = self.lines(done.stdout)
        return lines[1:-1], lines[-1], done.stderr


class Probes(AuditTest):
    def test_every_probe_has_a_verdict_for_every_tensor(self):
        records, _, _ = self.audit("--case", "conv_fwd n=2 c=3 h=9 w=7 k=4 r=3 s=3 pad=1 recipe=exact")
        self.assertGreater(len(records), 1)
        for record in records:
            jsonschema.validate(record, SCHEMA)
            probes = record["determinism"]["probes"]
            self.assertEqual(list(probes), PROBES)
            for name, tensors in probes.items():
                self.assertEqual(list(tensors), ["y"])
                verdict = tensors["y"]
                if name in NEEDS_CUDA:
                    self.assertEqual(verdict, {"verdict": "not_run", "reason": "needs a CUDA device"})
                elif verdict["verdict"] == "not_run":
                    self.assertIn(name, ("workspace_poison", "config"), verdict)
            self.assertEqual(probes["rerun"]["y"], {"verdict": "same", "runs": 10, "proves": "by construction"})
            self.assertEqual(probes["process"]["y"]["runs"], 2)
            self.assertEqual(probes["schedule"]["y"]["runs"], 8)
            self.assertEqual(probes["order"]["y"]["runs"], 3)
            self.assertEqual(probes["alignment"]["y"]["runs"], 3)
            self.assertEqual(probes["batch"]["y"]["runs"], 5)
            self.assertEqual(probes["padding"]["y"]["runs"], 2)
            self.assertEqual(probes["algorithms"]["y"]["runs"], len(records))
            self.assertEqual(record["determinism"]["batch_invariant"], {"claimed": True, "observed": True})

    def test_numbers_of_runs_are_options(self):
        records, _, _ = self.audit("--case", "matmul m=4 n=4 k=4 algo=naive", "--repeats", "5", "--schedules", "3")
        probes = records[0]["determinism"]["probes"]
        self.assertEqual((probes["rerun"]["d"]["runs"], probes["schedule"]["d"]["runs"]), (5, 3))

    def test_a_plain_run_has_the_cheap_probes_only(self):
        records, _, _ = self.audit("--case", "matmul m=4 n=4 k=4 algo=naive", verb="run")
        self.assertEqual(list(records[0]["determinism"]["probes"]), ["rerun", "schedule", "output_poison", "workspace_poison"])

    def test_other_configs_may_differ_without_breaking_a_claim(self):
        records, _, _ = self.audit("--case", "matmul m=16 n=24 k=1200 algo=split_k_ordered")
        config = records[0]["determinism"]["probes"]["config"]["d"]
        self.assertEqual(config["verdict"], "differs")
        self.assertIn("config tile=", config["change"])
        self.assertEqual(records[0]["status"], "passed")
        self.assertTrue(records[0]["determinism"]["observed"])

    def test_without_worker_processes_their_probes_say_so(self):
        records, _, _ = self.audit("--case", "matmul m=4 n=4 k=4 algo=naive", "--no-isolation")
        for probe in ("process", "order"):
            self.assertIn("no worker processes", records[0]["determinism"]["probes"][probe]["d"]["reason"])

    def test_a_claim_of_nondeterminism_that_never_shows_is_listed(self):
        # Three partial sums of few outputs: 16 bits hide their order.
        case = "matmul m=2 n=2 k=1200 dtype=bf16 algo=split_k_atomic"
        records, summary, _ = self.audit("--case", case)
        self.assertFalse(records[0]["claims"]["deterministic"])
        self.assertEqual(summary["nondeterminism_not_observed"], ["matmul/split_k_atomic/bf16.bf16.bf16"])
        records, summary, _ = self.audit("--case", ATOMIC)
        self.assertEqual(summary["nondeterminism_not_observed"], [])
        self.assertEqual(records[0]["determinism"]["probes"]["schedule"]["d"]["verdict"], "differs")

    def test_races_are_records_of_their_own(self):
        records, _, _ = self.audit("--case", MATMUL, "--races")
        plain = [each for each in records if each["device"] == "emu"]
        raced = [each for each in records if each["device"] == "emu-race"]
        self.assertEqual(sorted(each["variant"] for each in plain), sorted(each["variant"] for each in raced))
        self.assertTrue(all("determinism" not in each and each["status"] == "passed" for each in raced))
        self.tool("audit", "--case", MATMUL, "--races", "--device", "emu-race", code=2)

    def test_the_matrix_is_in_both_reports(self):
        self.audit("--case", ATOMIC)
        text = (self.folder / "out" / "report.md").read_text()
        row = re.search(r"^\| matmul \| split\\_k\\_atomic \| may differ .*$", text, re.MULTILINE).group()
        self.assertIn("differs 1 of 1", row)
        self.assertIn("not run", row)
        page = self.tool("report", "out", "--format", "html").stdout
        for probe in PROBES:
            self.assertIn(f">{probe}<", page)


class BrokenClaims(AuditTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, tool, "BINARY", tool.BINARY)
        tool.BINARY = FAULTY

    def caught(self, fault, code=1, verb="audit", words=(), case=MATMUL):
        records, _, errors = self.audit("--case", f"{case} algo=faulty_{fault}", *words, verb=verb, code=code)
        return records[0], errors

    def test_each_is_caught_by_name(self):
        for fault, words in {
            "hidden_atomic": ["probe schedule (schedule reverse)", "claimed deterministic"],
            "uninitialised_workspace": ["probe workspace_poison", "claimed deterministic"],
            "process_dependent": ["probe process", "claimed deterministic"],
            "state_of_other_ops": ["probe order (after the other ops)", "claimed deterministic"],
            "batch_dependent_tile": ["probe batch (m=1, sample 0 alone)", "claimed batch invariant"],
        }.items():
            with self.subTest(fault=fault):
                record, _ = self.caught(fault)
                self.assertEqual(record["status"], "nondeterministic", record["reason"])
                for word in [*words, "'d' differs in", "first at ["]:
                    self.assertIn(word, record["reason"])

    def test_a_plain_run_does_not_see_what_only_an_audit_changes(self):
        for fault in ("process_dependent", "state_of_other_ops", "batch_dependent_tile"):
            record, _ = self.caught(fault, code=0, verb="run")
            self.assertEqual(record["status"], "passed")

    def test_a_batch_that_differs_leaves_determinism_observed(self):
        record, _ = self.caught("batch_dependent_tile")
        self.assertTrue(record["determinism"]["observed"])
        self.assertEqual(record["determinism"]["batch_invariant"], {"claimed": True, "observed": False})

    def test_a_removed_barrier_is_a_race(self):
        record, _ = self.caught("missing_barrier", words=["--races"], case="activation_fwd n=3 c=5 h=7 w=9 fn=relu")
        records = self.lines((self.folder / "out" / "records.jsonl").read_text())[1:-1]
        raced = [each for each in records if each["device"] == "emu-race"]
        self.assertEqual(raced[0]["status"], "error")
        self.assertIn("race at missing_barrier.cu:", raced[0]["reason"])


class Gates(AuditTest):
    def test_require_deterministic_names_the_probe_whatever_is_claimed(self):
        self.audit("--case", ATOMIC)
        _, _, errors = self.audit("--case", ATOMIC, "--require", "deterministic", code=1)
        self.assertIn("require deterministic: matmul/split_k_atomic/f32.f32.f32: probe schedule (schedule reverse): 'd' differs in", errors)
        self.assertIn("warpmark run --case '", errors)
        self.audit("--case", ATOMIC + " recipe=exact", "--require", "deterministic")

    def test_require_batch_invariant(self):
        case = "conv_bwd_data n=2 c=4 h=8 w=9 k=24 r=3 s=3 pad=1 layout=nhwc"
        _, _, errors = self.audit("--case", case, "--require", "batch_invariant", code=1)
        self.assertRegex(errors, r"require batch_invariant: conv_bwd_data/scatter_atomic/\S+: probe batch \(n=")
        self.audit("--case", case + " algo=direct", "--require", "deterministic,batch_invariant")
        # dw has no samples, so there is nothing to require.
        self.audit("--case", "conv_bwd_filter n=2 c=2 w=9 k=2 s=3 algo=direct", "--require", "batch_invariant")

    def test_what_could_not_be_probed_is_unmet(self):
        case = "matmul m=4 n=4 k=4 algo=naive d.offset=1"
        _, _, errors = self.audit("--case", case, "--require", "batch_invariant", code=1)
        self.assertIn("probe batch: not run: the case places its tensors itself", errors)

    def test_words_are_checked(self):
        self.tool("audit", "--case", ATOMIC, "--require", "fast", code=2)
        self.tool("audit", "--case", ATOMIC, "--library", "all", code=2)
        self.tool("audit", "--library", "some", code=2)


class Golden(AuditTest):
    CASES = ["--case", "matmul m=4 n=5 k=6", "--case", "activation_fwd n=1 c=2 h=3 w=4 fn=relu"]

    def setUp(self):
        super().setUp()
        self.audit(*self.CASES, "--write-golden", "g", verb="run")
        self.golden = (self.folder / "g").read_text().splitlines(keepends=True)

    def check(self, lines, code, *words):
        self.write("g", "".join(lines))
        return self.audit(*self.CASES, "--check-golden", "g", *words, verb="run", code=code)[2]

    def test_the_file_is_sorted_and_equal_bits_pass(self):
        self.assertEqual(self.golden, sorted(self.golden))
        self.assertRegex(self.golden[0], r"^[0-9a-f]{16} \S+/\S+/\S+ \w+ [0-9a-f]{16}\n$")
        self.check(self.golden, 0)
        self.audit(*self.CASES, "--check-golden", "g")

    def test_another_digest_is_named(self):
        line = self.golden[2].replace(self.golden[2][-17:], "0123456789abcdef\n")
        errors = self.check([*self.golden[:2], line, *self.golden[3:]], 1)
        self.assertIn(" ".join(line.split()[:3]), errors)
        self.assertIn("golden 0123456789abcdef", errors)

    def test_a_case_missing_on_either_side_is_coverage(self):
        self.assertIn("no golden digest", self.check(self.golden[1:], 3))
        more = "ffffffffffffffff matmul/naive/f32.f32.f32 d 0123456789abcdef\n"
        self.assertIn("the run has no such digest", self.check([*self.golden, more], 3))

    def test_a_filter_compares_its_part(self):
        self.check(self.golden, 0, "--filter", "matmul/naive/*")

    def test_what_does_not_fit_is_refused(self):
        self.write("bad", "one line\n")
        for words in (["--check-golden", "bad"], ["--check-golden", "absent"],
                      ["--check-golden", "g", "--shard", "1/2"], ["--write-golden", "g", "--stages", "verify"]):
            with self.subTest(words=words):
                self.tool("run", *self.CASES, *words, "--out", "other", code=2)


class Library(AuditTest):
    def test_everything_compiled_is_audited_and_as_documented(self):
        records, summary, _ = self.audit("--library", "covering")
        algorithms = json.loads(self.tool("list", "algorithms", "--format", "json").stdout)
        compiled = {variant for each in algorithms for variant in each["variants"]}
        passed = {each["variant"] for each in records if each["status"] == "passed"}
        self.assertEqual(passed, compiled)
        self.assertEqual(set(summary["counts"]) - {"passed", "unsupported", "skipped"}, set())
        report = (self.folder / "out" / "report.md").read_text()
        made = re.search(r"^## Determinism\n\n(.*?)\n\n", report, re.MULTILINE | re.DOTALL).group(1)
        page = ROOT / "docs" / "determinism.md"
        text = page.read_text()
        place = re.compile(r"(<!-- audit --library covering -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
        if os.environ.get("UPDATE_GOLDEN"):
            page.write_text(place.sub(lambda match: match.group(1) + made + match.group(2), text))
            text = page.read_text()
        self.assertIn(made, text, "UPDATE_GOLDEN=1 rewrites docs/determinism.md")


if __name__ == "__main__":
    unittest.main()
