"""The regression gate over real reports: each verdict's exit code, with the case named."""

import copy
import json
import subprocess

import jsonschema

from tool import BINARY, ROOT, ToolTest

SCHEMA = ROOT / "configs" / "schema"


def schema(name):
    return json.loads((SCHEMA / f"{name}.schema.json").read_text())


class Compare(ToolTest):
    """BASE is a run of the quick sweep, made once."""

    quick = None

    def setUp(self):
        super().setUp()
        if Compare.quick is None:
            out = self.folder / "quick"
            config = str(ROOT / "configs" / "quick.json")
            self.tool("run", config, "--device", "emu", "--out", out, "--no-progress")
            Compare.quick = self.lines((out / "records.jsonl").read_text())
        for each in self.records(Compare.quick):
            each.setdefault("counters", {"compiler": "gcc 12", "flags": "-O2", "atomics": 5})
        self.base = copy.deepcopy(Compare.quick)
        self.new = copy.deepcopy(Compare.quick)

    @staticmethod
    def records(report):
        return report[1:-1]

    def save(self, name, report):
        return self.write(name, "".join(json.dumps(line) + "\n" for line in report))

    def compare(self, *words, code=0):
        self.save("base.jsonl", self.base)
        self.save("new.jsonl", self.new)
        return self.tool("compare", "base.jsonl", "new.jsonl", *words, code=code).stdout

    def finding(self, code, verdict, index=5):
        """The gate fails with `code` and a line of `verdict` that names the case and ends in its repro."""
        text = self.compare(code=code)
        record = self.records(self.new)[index]
        lines = [line for line in text.splitlines() if line.startswith(verdict + ": ")]
        self.assertEqual(len(lines), 1, text)
        self.assertIn(f"{record['variant']}, case {record['case_id']}", lines[0])
        self.assertTrue(lines[0].endswith(record["repro"]), lines[0])
        return lines[0]

    def test_against_itself(self):
        text = self.compare()
        self.assertTrue(text.endswith("no change\n"), text)
        self.assertIn(f"{len(self.new) - 2} matched", text)
        self.assertIn("emulated times are never compared", text)
        self.tool("run", "--case", "matmul m=4 n=4 k=4", "--device", "emu", "--out", "a")
        self.tool("run", "--case", "matmul m=4 n=4 k=4", "--device", "emu", "--out", "b")
        self.assertTrue(self.tool("compare", "a", "b").stdout.endswith("no change\n"))

    def test_digest_is_1(self):
        digests = self.records(self.new)[5]["determinism"]["digests"]
        digests[next(iter(digests))] = "0" * 64
        self.assertIn("-> 000000000000", self.finding(1, "changed"))

    def test_claim_is_1(self):
        self.records(self.new)[5]["claims"]["tree_height"] += 1
        self.assertIn("claim.tree_height", self.finding(1, "changed"))

    def test_status_is_1(self):
        self.records(self.new)[5].update(status="failed", reason="wrong\n::error::x")
        self.assertIn("passed -> failed", self.finding(1, "worse"))

    def test_counter_is_3(self):
        self.records(self.new)[5]["counters"]["atomics"] = 6
        self.assertIn("counter.atomics: 5 -> 6", self.finding(3, "regression"))

    def test_workspace_is_3(self):
        self.records(self.new)[5]["workspace_bytes"] += 1
        self.assertIn("workspace_bytes", self.finding(3, "regression"))

    def test_error_drift_is_3(self):
        accuracy = self.records(self.new)[5]["accuracy"]
        tensor = accuracy[next(iter(accuracy))]
        tensor["max_ulp"] = 1.2 * tensor["max_ulp"] + 3
        self.assertIn("error.max_ulp", self.finding(3, "regression"))

    def test_coverage_is_3(self):
        gone = self.new.pop(6)
        text = self.compare(code=3)
        self.assertIn(f"{gone['variant']}, case {gone['case_id']}: the case vanished: {gone['repro']}\n", text)
        algorithm = gone["op"], gone["algorithm"]
        self.new = [line for line in self.new if (line.get("op"), line.get("algorithm")) != algorithm]
        self.assertIn(f"{'/'.join(algorithm)}/*: the algorithm vanished", self.compare(code=3))

    def test_cross_environment_is_4(self):
        for report in (self.base, self.new):
            for each in self.records(report):
                for part in ("accuracy", "determinism", "timing"):
                    each.pop(part, None)
        for each in self.records(self.new):
            each["counters"]["compiler"] = "clang 14"
        self.assertIn("cross-environment: counters of", self.compare(code=4))

    def test_nothing_matched_is_6(self):
        self.new = [dict(self.new[0], plan_hash="0" * 64), self.new[-1]]
        self.assertIn("nothing matched", self.compare(code=6))

    def test_the_gravest_wins(self):
        self.records(self.new)[5]["counters"]["atomics"] = 6
        self.records(self.new)[8]["claims"]["tree_height"] += 1
        self.compare(code=1)

    def test_interrupted(self):
        text = "".join(json.dumps(line) + "\n" for line in self.new)
        self.save("base.jsonl", self.base)
        self.write("cut.jsonl", text[: len(text) // 2])
        out = self.tool("compare", "base.jsonl", "cut.jsonl", code=3).stdout
        self.assertIn("NEW has no summary: its run was cut short after", out)

    def test_accept(self):
        self.records(self.new)[5]["claims"]["tree_height"] += 1
        self.records(self.new)[6]["counters"]["atomics"] = 6
        self.compare("--accept", "--reason", "sums in pairs")
        written = json.loads((self.folder / "accepted.json").read_text())
        jsonschema.validate(written, schema("accepted"))
        self.assertEqual(len(written["changes"]), 2)
        self.assertEqual({change["reason"] for change in written["changes"]}, {"sums in pairs"})
        self.assertRegex(written["changes"][0]["tool"], r"^warpmark \d")
        self.assertIn("2 excused", self.compare("--accepted", "accepted.json"))

        # A later change of the same counter is not excused; accepting it replaces the entry.
        self.records(self.new)[6]["counters"]["atomics"] = 7
        self.compare("--accepted", "accepted.json", code=3)
        self.compare("--accepted", "accepted.json", "--accept", "--reason", "again")
        merged = json.loads((self.folder / "accepted.json").read_text())["changes"]
        self.assertEqual(sorted(change["reason"] for change in merged), ["again", "sums in pairs"])

        self.new = self.base
        self.assertIn("note: stale accepted change: case ", self.compare("--accepted", "accepted.json"))

    def test_quarantine(self):
        record = self.records(self.new)[5]
        record.update(status="failed", reason="wrong")
        entry = {"pattern": record["case_id"], "owner": "kernels", "reason": "being fixed"}
        entry.update(expires="2999-12-31", expected="failed")
        whole = {"schema": "warpmark.quarantine/1", "cases": [entry]}
        jsonschema.validate(whole, schema("quarantine"))
        self.write("q.json", whole)
        self.assertIn("quarantined until 2999-12-31", self.compare("--quarantine", "q.json"))
        entry["expires"] = "2020-01-01"
        self.write("old.json", whole)
        self.assertIn("expired on 2020-01-01 and is ignored", self.compare("--quarantine", "old.json", code=1))
        self.new = self.base
        self.assertIn(f"case {record['case_id']}: passes although quarantined",
                      self.compare("--quarantine", "q.json", code=1))

    def test_thresholds(self):
        self.records(self.new)[5]["counters"]["atomics"] = 6
        thresholds = {"schema": "warpmark.thresholds/1", "defaults": {"counter_rise_percent": 20}}
        jsonschema.validate(thresholds, schema("thresholds"))
        self.compare("--thresholds", self.write("t.json", thresholds))
        thresholds["defaults"] = {"counter_rise": 20}
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(thresholds, schema("thresholds"))
        self.save("base.jsonl", self.base)
        message = self.tool(
            "compare", "base.jsonl", "base.jsonl", "--thresholds", self.write("t.json", thresholds), code=2
        ).stderr
        self.assertIn("t.json:1:", message)
        self.assertIn("/defaults/counter_rise: key 'counter_rise' has no unit; write counter_rise_percent", message)

    def test_json_follows_its_schema(self):
        for name in ("comparison", "thresholds", "quarantine", "accepted"):
            jsonschema.Draft7Validator.check_schema(schema(name))
        self.records(self.new)[5].update(status="failed", reason="wrong \u202e <b>")
        self.records(self.new)[6]["counters"]["atomics"] = 6
        self.records(self.new)[7]["claims"]["error_formula"] = "other"
        del self.new[9]
        found = json.loads(self.compare("--format", "json", code=1))
        jsonschema.validate(found, schema("comparison"))
        self.assertEqual(found["exit_code"], 1)
        self.assertEqual([each["verdict"] for each in found["findings"]],
                         ["worse", "changed", "regression", "regression"])
        self.assertIn("# warpmark comparison: 1 worse, 1 changed", self.compare("--format", "md", code=1))

    def test_wrong_use_is_2(self):
        self.save("base.jsonl", self.base)

        def refused(*words, part):
            self.assertIn(part, self.tool("compare", *words, code=2).stderr)

        same = ["base.jsonl", "base.jsonl"]
        refused("base.jsonl", part="NEW")
        refused("base.jsonl", "nowhere", part="cannot read nowhere")
        refused("base.jsonl", self.write("x", "hello\n"), part="x:1: not a JSON object")
        refused("base.jsonl", self.write("y", json.dumps(self.base[0]) + "\n{cut\n" + json.dumps(self.base[-1])),
                part="y:2: not a JSON object")
        refused(*same, "--format", "xml", part="text, json, md")
        refused(*same, "--accept", part="--accept needs --reason")
        refused(*same, "--accept", "--reason", " ", part="--accept needs --reason")
        refused(*same, "--reason", "x", part="--reason is for --accept")
        refused(*same, "-o", "x.json", part="-o is for --accept")
        refused(*same, "--accepted", "nowhere", part="nowhere")
        refused(*same, "--threshold", "x", part="did you mean '--thresholds'")
        self.assertFalse((self.folder / "accepted.json").exists())

    def test_unwritable_is_5(self):
        self.save("base.jsonl", self.base)
        words = ["compare", "base.jsonl", "base.jsonl", "--accept", "--reason", "r", "-o", "no/such/file"]
        self.assertIn("cannot write no/such/file", self.tool(*words, code=5).stderr)

    def test_a_reader_that_goes_away_is_no_failure(self):
        self.save("base.jsonl", self.base)
        pipe = subprocess.run(
            f"{BINARY} compare base.jsonl base.jsonl --format json | head -c 10; exit ${{PIPESTATUS[0]}}",
            shell=True, executable="/bin/bash", cwd=self.folder, capture_output=True,
        )
        self.assertEqual(pipe.returncode, 0, pipe.stderr)


if __name__ == "__main__":
    import unittest

    unittest.main()
