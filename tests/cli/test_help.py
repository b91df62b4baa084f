"""--help of every verb is golden: tests/cli/golden/help_<verb>.txt (UPDATE_GOLDEN=1 rewrites)."""

import os
import pathlib

from tool import ToolTest

GOLDEN = pathlib.Path(__file__).parent / "golden"
VERBS = ["", "list", "expand", "run", "verify", "bench", "audit", "explain", "tree", "probe", "report", "merge", "compare", "import", "selfcheck"]


class Help(ToolTest):
    def test_each_verb(self):
        for verb in VERBS:
            with self.subTest(verb=verb):
                words = [verb, "--help"] if verb else ["--help"]
                text = self.tool(*words).stdout
                path = GOLDEN / f"help_{verb or 'warpmark'}.txt"
                if os.environ.get("UPDATE_GOLDEN"):
                    path.write_text(text)
                self.assertEqual(text, path.read_text())

    def test_main_help_names_every_verb(self):
        text = self.tool("--help").stdout
        for verb in VERBS[1:]:
            self.assertIn(f"\n  {verb} ", text)

    def test_version(self):
        self.assertRegex(self.tool("--version").stdout, r"^warpmark \d+\.\d+\.\d+\n$")
