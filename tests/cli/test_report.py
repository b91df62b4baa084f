"""Renders stored reports: every format through the tool, JUnit through an XML parser, HTML in a real browser."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml

from tool import ROOT, ToolTest

HOSTILE = ROOT / "tests" / "report" / "hostile.jsonl"
FORMATS = ["html", "md", "csv", "table", "junit", "github", "gbench"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def report_lines():
    # Not splitlines(): a label holds U+0085, which Python takes for a line end.
    return HOSTILE.read_text(encoding="utf-8").rstrip("\n").split("\n")


def records():
    lines = [json.loads(line) for line in report_lines()]
    return [line for line in lines if line["schema"] == "warpmark.record/1"]


class Formats(ToolTest):
    def test_output_file_equals_standard_output(self):
        for kind in FORMATS:
            if kind == "github":
                continue
            with self.subTest(format=kind):
                printed = self.tool("report", HOSTILE, "--format", kind).stdout
                self.tool("report", HOSTILE, "--format", kind, "-o", "out")
                self.assertEqual((self.folder / "out").read_text(), printed)
                self.assertFalse((self.folder / "out.part").exists())

    def test_unknown_format_names_the_nearest(self):
        self.assertIn("junit", self.tool("report", HOSTILE, "--format", "junti", code=2).stderr)

    def test_a_broken_report_leaves_the_old_file(self):
        self.write("old", "kept")
        self.write("broken.jsonl", HOSTILE.read_text() + "{}\n")
        self.tool("report", "broken.jsonl", "--format", "html", "-o", "old", code=2)
        self.assertEqual((self.folder / "old").read_text(), "kept")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["broken.jsonl", "old"])

    def test_the_report_itself_is_never_overwritten(self):
        self.write("records.jsonl", HOSTILE.read_text())
        self.tool("report", "records.jsonl", "-o", "records.jsonl", code=2)
        self.assertEqual((self.folder / "records.jsonl").read_text(), HOSTILE.read_text())

    def test_a_full_disk_is_exit_5(self):
        if not pathlib.Path("/dev/full").exists():
            self.skipTest("no /dev/full here")
        self.assertIn("/dev/full", self.tool("report", HOSTILE, "--format", "md", "-o", "/dev/full", code=5).stderr)

    def test_csv_is_read_back_and_holds_no_formula(self):
        rows = list(csv.DictReader(io.StringIO(self.tool("report", HOSTILE, "--format", "csv").stdout)))
        self.assertEqual([row["case_id"] for row in rows], [record["case_id"] for record in records()])
        for row, record in zip(rows, records()):
            for value in (row["label"], row["reason"]):
                self.assertNotRegex(value, r"^[=+\-@]")
            # Python's text mode has made one line end of each; the bytes keep them apart.
            label = record["label"].replace("\r\n", "\n").replace("\r", "\n")
            self.assertIn(row["label"], (label, "'" + label))

    def test_gbench_has_what_its_readers_ask_for(self):
        report = json.loads(self.tool("report", HOSTILE, "--format", "gbench").stdout)
        self.assertEqual(report["context"]["json_schema_version"], 1)
        for run in report["benchmarks"]:
            self.assertEqual(run["run_type"], "iteration")
            for key in ("name", "run_name", "repetitions", "real_time", "cpu_time", "time_unit"):
                self.assertIn(key, run)


class Example(ToolTest):
    """The committed example is what the tool makes of its records (UPDATE_GOLDEN=1 rewrites it)."""

    def test_it_is_up_to_date(self):
        folder = ROOT / "reports" / "example"
        for kind in ("md", "html"):
            text = self.tool("report", folder, "--format", kind).stdout
            path = folder / f"report.{kind}"
            if os.environ.get("UPDATE_GOLDEN"):
                path.write_text(text)
            self.assertTrue(path.read_text() == text, f"{path} is not what the tool makes now")
        self.assertLess((folder / "screenshot.png").stat().st_size, 300_000)


class Junit(ToolTest):
    """The shape of the common JUnit schema: order and names of elements, types of attributes, counts."""

    CHILDREN = {
        "testsuites": {"testsuite"},
        "testsuite": {"properties", "testcase"},
        "properties": {"property"},
        "testcase": {"properties", "failure", "error", "skipped"},
    }
    NUMBERS = ("tests", "failures", "errors")

    def setUp(self):
        super().setUp()
        text = self.tool("report", HOSTILE, "--format", "junit").stdout
        self.assertNotRegex(text, r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
        self.root = xml.fromstring(text.encode())

    def test_shape(self):
        self.assertEqual(self.root.tag, "testsuites")
        for node in self.root.iter():
            self.assertLessEqual({child.tag for child in node}, self.CHILDREN.get(node.tag, set()), node.tag)
        for case in self.root.iter("testcase"):
            self.assertEqual(set(case.attrib), {"name", "classname", "time"})
            self.assertGreaterEqual(float(case.get("time")), 0)
            self.assertLessEqual(len([child for child in case if child.tag != "properties"]), 1)

    def test_counts(self):
        suites = list(self.root)
        self.assertEqual([suite.get("name") for suite in suites], ["activation_fwd", "matmul"])
        for suite in suites:
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases))
            for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(name)), sum(case.find(tag) is not None for case in cases))
        for name in self.NUMBERS:
            self.assertEqual(int(self.root.get(name)), sum(int(suite.get(name)) for suite in suites))

    def test_each_record_is_one_case_with_its_texts(self):
        cases = {
            {p.get("name"): p.get("value") for p in case.iter("property")}["case_id"]: case
            for case in self.root.iter("testcase")
        }
        self.assertEqual(len(cases), len(records()))
        names = [(case.get("classname"), case.get("name")) for case in cases.values()]
        self.assertEqual(len(names), len(set(names)))
        tags = {"error": "error", "unsupported": "skipped", "skipped": "skipped", "inconclusive": "skipped"}
        for record in records():
            case = cases[record["case_id"]]
            properties = {p.get("name"): p.get("value") for p in case.iter("property")}
            outcome = next((child for child in case if child.tag != "properties"), None)
            label = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", record["label"])
            self.assertEqual(properties.get("label", ""), label)
            if record["status"] == "passed":
                self.assertIsNone(outcome)
                continue
            self.assertEqual(outcome.tag, tags.get(record["status"], "failure"))
            self.assertEqual(outcome.get("message"), f"{record['status']}: {record['reason']}")
            if outcome.tag != "skipped":
                self.assertIn(record["repro"], outcome.text)


class Github(ToolTest):
    def run_with(self, summary, *words):
        saved = dict(os.environ)
        os.environ.pop("GITHUB_STEP_SUMMARY", None)
        if summary:
            os.environ["GITHUB_STEP_SUMMARY"] = str(self.folder / summary)
        try:
            return self.tool("report", HOSTILE, "--format", "github", *words)
        finally:
            os.environ.clear()
            os.environ.update(saved)

    def test_annotations_on_standard_output_summary_in_the_file(self):
        done = self.run_with("", "-o", "summary.md")
        for line in done.stdout.splitlines():
            self.assertRegex(line, r"^::(error|warning|notice) title=[^:,]*::")
        self.assertIn("## Findings", (self.folder / "summary.md").read_text())
        self.assertEqual(self.run_with("").stdout, done.stdout)

    def test_the_step_summary_is_appended_to_and_stays_below_1_mib(self):
        self.write("step", "before\n")
        self.run_with("step")
        self.assertRegex((self.folder / "step").read_text(), r"^before\n# warpmark report")
        self.write("step", "x" * (1024 * 1024 - 2000))
        self.run_with("step")
        self.assertLess((self.folder / "step").stat().st_size, 1024 * 1024)
        self.write("step", "x" * (1024 * 1024 - 10))
        self.assertIn("no room left", self.run_with("step").stderr)


@unittest.skipUnless(BROWSER, "no chromium here: the HTML page is checked as text only")
class Browser(ToolTest):
    def dom(self, report, script=""):
        """The page as the browser has it after its scripts; `script` runs on it first."""
        self.tool("report", report, "--format", "html", "-o", "page.html")
        page = self.folder / "page.html"
        if script:
            # The page's own policy lets no other script run: the test's copy goes without it.
            text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
            page.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
        done = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder}/profile", "--window-size=1280,900", "--enable-logging=stderr",
             "--virtual-time-budget=5000", "--dump-dom", page.as_uri()],
            capture_output=True, text=True, timeout=200,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertNotIn("CONSOLE", done.stderr)
        return done.stdout

    def rows(self, dom):
        return re.findall(r'<tr data-record="(\d+)"', dom)

    def test_rows_are_there_and_no_label_ran(self):
        dom = self.dom(HOSTILE)
        self.assertIn('data-ready="true"', dom)
        self.assertEqual(len(self.rows(dom)), len(records()))
        self.assertNotIn("<title>owned", dom)
        self.assertRegex(dom, r"<title>warpmark report: hostile &lt;b&gt;")
        self.assertNotRegex(dom, r"<(img|boom|iframe|u|i)[ />]")
        self.assertIn("&lt;script&gt;document.title='owned'&lt;/script&gt;", dom)
        self.assertEqual(len(re.findall(r"<svg [^>]*role=\"img\"", dom)), 2)
        self.assertIn("<td class=\"num\" data-name=\"barriers\">4</td>", dom)

    def test_filters_search_sorting_pages_and_details(self):
        step = """
          const pick = (id, value) => { const l = document.getElementById(id); l.value = value; l.onchange(); };
          const find = (text) => { const s = document.getElementById("search"); s.value = text; s.oninput(); };
          const shown = () => [...document.querySelectorAll("tr[data-record]")].map((row) => Number(row.dataset.record));
          const said = [];
          pick("filter-status", "failed"); said.push(shown());
          pick("filter-status", ""); find("TWICE emu-race"); said.push(shown());
          find(""); pick("filter-op", "activation_fwd"); said.push(shown());
          pick("filter-op", "");
          const sort = [...document.querySelectorAll(".grid th button")].find((b) => b.textContent === "error / bound");
          sort.click(); said.push([shown()[0], sort.parentNode.getAttribute("aria-sort")]);
          sort.click(); said.push([shown()[12], sort.parentNode.getAttribute("aria-sort")]);
          document.querySelector('.more[data-index="2"]').click();
          said.push([document.querySelector(".details").textContent.includes("got Infinity, want 1, bound 0.5"),
            document.activeElement.dataset.index]);
          document.documentElement.dataset.said = JSON.stringify(said);
        """
        said = json.loads(re.search(r'data-said="([^"]*)"', self.dom(HOSTILE, step)).group(1).replace("&quot;", '"'))
        # Largest first: Infinity; NaN and what has no value stand last either way.
        self.assertEqual(said[:3], [[2], [12], [9, 10, 11, 12]])
        self.assertEqual(said[3], [6, "descending"])
        self.assertIn(said[4][0], (3, 8, 9))
        self.assertEqual(said[4][1], "ascending")
        self.assertEqual(said[5], [True, "2"])

    def test_thousands_of_rows_stay_fast(self):
        head, *rest = report_lines()
        passed = json.loads(rest[0])
        lines = [head]
        for index in range(20000):
            passed["case_id"] = f"{index:016x}"
            passed["accuracy"]["d"]["max_abs"] = (index * 7919) % 20000
            lines.append(json.dumps(passed))
        self.write("big.jsonl", "\n".join(lines) + "\n")
        step = """
          const start = performance.now();
          [...document.querySelectorAll(".grid th button")].find((b) => b.textContent === "max abs").click();
          const s = document.getElementById("search"); s.value = "matmul"; s.oninput();
          document.documentElement.dataset.took = performance.now() - start;
        """
        dom = self.dom("big.jsonl", step)
        self.assertEqual(len(self.rows(dom)), 50)
        self.assertIn("1 to 50 of 20000", dom)
        largest = max(range(20000), key=lambda index: index * 7919 % 20000)
        self.assertEqual(self.rows(dom)[0], str(largest))
        self.assertLess(float(re.search(r'data-took="([\d.]+)"', dom).group(1)), 5000)


if __name__ == "__main__":
    unittest.main()
