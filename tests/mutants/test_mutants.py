"""The machinery of the mutants: what makes a patch invalid, which gate a record speaks of, what the operators change."""

import pathlib
import tempfile
import unittest

import generate
import mutants as engine

TEXT = "one\ntwo\nthree\ntwo\nfive\n"


def patch(body):
    return f"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n{body}"


class Patches(unittest.TestCase):
    def applied(self, body):
        return engine.apply_patch(patch(body), lambda name: TEXT)["f"]

    def test_lines_are_found_wherever_they_are(self):
        self.assertEqual(self.applied(" three\n-two\n+2\n five\n"), "one\ntwo\nthree\n2\nfive\n")

    def test_several_hunks(self):
        body = "-one\n+1\n two\n three\n@@ -4,2 +4,1 @@\n three\n-two\n five\n"
        self.assertEqual(self.applied(body), "1\ntwo\nthree\nfive\n")

    def test_lines_that_are_gone_or_ambiguous_do_not_apply(self):
        for body in (" one\n-2\n+two\n", "-two\n+2\n"):
            with self.assertRaisesRegex(ValueError, "does not apply to f"):
                self.applied(body)

    def test_a_wrong_header_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.patch"
            for header in ("Kernel: k\nGate: luck\nCase: c\n", "Kernel: k\nGate: race\n"):
                path.write_text(header + "\n" + patch("-one\n+1\n"))
                with self.assertRaisesRegex(ValueError, "wrong.patch: needs a Gate"):
                    engine.read_mutant(path)

    def test_every_patch_of_the_folder_applies(self):
        found = [engine.read_mutant(path) for path in sorted(pathlib.Path(__file__).parent.glob("*.patch"))]
        self.assertGreaterEqual(len(found), 40)
        self.assertGreaterEqual(sum(mutant.quick for mutant in found), 12)
        self.assertEqual({mutant.gate for mutant in found}, set(engine.GATES))
        kernels = {str(path.relative_to(engine.ROOT)) for path in (engine.ROOT / "src/kernels").glob("*/*.cu")}
        mutated = {mutant.kernel for mutant in found}
        self.assertEqual(mutated, kernels, "every kernel file has a mutant")

    def test_the_documentation_lists_them_all(self):
        page = (engine.ROOT / "docs/mutants.md").read_text()
        for path in sorted(pathlib.Path(__file__).parent.glob("*.patch")):
            mutant = engine.read_mutant(path)
            kernel = mutant.kernel.removeprefix("src/kernels/").removesuffix(".cu")
            self.assertIn(f"| {mutant.what} | `{kernel}` | {mutant.gate} |", page)


class Gates(unittest.TestCase):
    def test_each(self):
        for expected, status, reason, recipe in (
            ("indexing", "failed", "'d' 1 of 2", "exact/1"),
            ("precision", "failed", "'d' 1 of 2", "normal/1"),
            ("schedule", "failed", "'d' under schedule reverse: 1 of 2", "normal/1"),
            ("schedule", "nondeterministic", "probe schedule (schedule reverse): 'd'", "normal/1"),
            ("poison", "nondeterministic", "probe output_poison: 'd'", "normal/1"),
            ("race", "error", "race at a.cu:1", "normal/1"),
            ("fault", "error", "4 bytes written after the end", "normal/1"),
            ("", "passed", "", "normal/1"),
        ):
            self.assertEqual(engine.seen_by({"status": status, "reason": reason, "recipe": recipe}), expected)


class Operators(unittest.TestCase):
    def changes(self, line):
        return dict(generate.changed_lines(line))

    def test_each(self):
        self.assertEqual(
            self.changes("  for (int i = 0; i < n; ++i) sum += a[i];"),
            {
                "< to <=": "  for (int i = 0; i <= n; ++i) sum += a[i];",
                "+= to =": "  for (int i = 0; i < n; ++i) sum = a[i];",
                "index + 1": "  for (int i = 0; i < n; ++i) sum += a[i + 1];",
                "index - 1": "  for (int i = 0; i < n; ++i) sum += a[i - 1];",
                "bound + 1": "  for (int i = 0; i < n + 1; ++i) sum += a[i];",
                "bound - 1": "  for (int i = 0; i < n - 1; ++i) sum += a[i];",
            },
        )
        self.assertEqual(self.changes("  sum = add(sum, x);"), {"statement dropped": "  ;"})
        self.assertEqual(self.changes("  if (a >= b && c)"), {">= to >": "  if (a > b && c)", "&& to ||": "  if (a >= b || c)"})

    def test_declarations_and_comments_stay(self):
        self.assertEqual(self.changes("  float values[kCount];"), {})
        self.assertEqual(self.changes("  return x;  // a < b"), {})


if __name__ == "__main__":
    unittest.main()
