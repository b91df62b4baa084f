"""scripts/warpmark-completion.bash completes verbs, options and values of the tool that is installed."""

import subprocess
import unittest

import tool

SCRIPT = tool.ROOT / "scripts" / "warpmark-completion.bash"


class Completion(tool.ToolTest):
    def complete(self, *words):
        quoted = " ".join(f"'{word}'" for word in ("warpmark", *words))
        text = (f"source {SCRIPT}; warpmark() {{ {tool.BINARY} \"$@\"; }}; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; "
                "_warpmark; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", text], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_verbs(self):
        verbs = self.complete("")
        for verb in ("run", "verify", "bench", "list", "expand", "explain", "report", "merge"):
            self.assertIn(verb, verbs)
        self.assertEqual(self.complete("mer"), ["merge"])

    def test_options(self):
        self.assertEqual(self.complete("run", "--res"), ["--resume"])
        self.assertIn("--format", self.complete("report", "--f"))

    def test_values(self):
        self.assertIn("emu-race", self.complete("run", "--device", "emu"))
        self.assertEqual(self.complete("run", "--guard", "b"), ["back"])
        self.assertEqual(self.complete("list", "al"), ["algorithms"])

    def test_files(self):
        self.write("sweep.json", {})
        self.write("other.txt", "")
        self.assertEqual(self.complete("run", ""), ["sweep.json"])


if __name__ == "__main__":
    unittest.main()
