"""Runs the tool under test (WARPMARK_BIN) for the tests of this folder."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("WARPMARK_BIN", str(ROOT / "build" / "dev" / "warpmark"))


class ToolTest(unittest.TestCase):
    """Each test has an empty working folder."""

    maxDiff = None

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def tool(self, *words, code=0):
        """Runs the tool, checks its exit code, returns the finished process."""
        done = subprocess.run(
            [BINARY, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=850
        )
        self.assertEqual(
            done.returncode, code, f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
        return done

    def write(self, name, content):
        text = content if isinstance(content, str) else json.dumps(content)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]
