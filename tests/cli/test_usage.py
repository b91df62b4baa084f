"""Wrong use is exit 2 with a message that says what would be right."""

from tool import ToolTest


class Usage(ToolTest):
    def refused(self, *words, parts):
        message = self.tool(*words, code=2).stderr
        for part in parts:
            self.assertIn(part, message)
        self.assertEqual(list(self.folder.glob("reports*")), [], "a refused run must leave nothing")

    def test_command_line(self):
        self.refused(parts=["subcommand"])
        self.refused("rnu", parts=["unknown verb 'rnu'", "did you mean 'run'"])
        self.refused("run", "--frmat", "csv", parts=["'--frmat'", "did you mean '--format'"])
        self.refused("run", parts=["CONFIG", "--case"])
        self.refused("list", parts=["WHAT"])
        self.refused("list", "opps", parts=["'opps'", "did you mean 'ops'"])
        self.refused("list", "ops", "--format", "xml", parts=["'xml'", "text, json"])
        self.refused("expand", "--case", "matmul m=1 n=1 k=1", "--format", "tabel", parts=["'table'"])

    def test_run_options(self):
        case = ["run", "--case", "matmul m=1 n=1 k=1"]
        self.refused(*case, "--stages", "verfy", parts=["'verfy'", "did you mean 'verify'"])
        self.refused(*case, "--format", "xml", parts=["jsonl, table, csv, md"])
        self.refused(*case, "--device", "emulator", parts=["'emulator'", "emu"])
        self.refused(*case, "--emu-arch", "h2000", parts=["'h2000'", "did you mean 'h200'"])
        self.refused(*case, "--guard", "bcak", parts=["'bcak'", "back"])
        self.refused(*case, "--fail-on", "faild", parts=["'faild'", "did you mean 'failed'"])
        self.refused(*case, "--set", "dtype", parts=["--set dtype", "key=value"])
        self.refused(*case, "--set", "dtyp=f16", parts=["'dtyp'", "did you mean 'dtype'"])
        self.refused(*case, "--set", "dtype=f17", parts=["'f17'", "did you mean 'f16'"])
        self.refused(*case, "--jobs", "many", parts=["--jobs"])
        self.refused(*case, "--repeats", "0", parts=["--repeats"])
        self.refused(*case, "x.json", parts=["not several"])

    def test_case_strings(self):
        def refused(text, *parts):
            self.refused("run", "--case", text, parts=parts)

        refused("matmull m=1", "unknown op 'matmull'", "did you mean 'matmul'")
        refused("matmul m=1 n=1 k=1 q=2", "'q'")
        refused("matmul m=1 n=1 k=1 transpos_a=1", "did you mean 'transpose_a'")
        refused("matmul m=1 n=1", '"k"')
        refused("matmul m=-1 n=1 k=1", "m=-1", "from 0")
        refused("matmul m=99999999999999999999 n=1 k=1", "m=99999999999999999999")
        refused("matmul m=one n=1 k=1", "m=one", "integer")
        refused("matmul m=1 n=1 k=1 algo=naiv", "'naiv'", "did you mean 'naive'")
        refused("matmul m=1 n=1 k=1 dtype=fp16", "'fp16'", "did you mean 'f16'")
        refused("conv_fwd n=1 c=1 h=2 w=2 k=1 r=5 s=1", "conv_fwd")
        refused("matmul m=1 n=1 k=1 in.a=@nowhere.npy", "no such file", "nowhere.npy")

    def test_folder(self):
        self.write("used/file", "x")
        self.refused("run", "--case", "matmul m=1 n=1 k=1", "--out", "used", parts=["not empty", "--force"])
        self.refused("run", "--case", "matmul m=1 n=1 k=1", "--out", "used/file", parts=["not a folder"])

    def test_report(self):
        self.refused("report", "nowhere.jsonl", parts=["nowhere.jsonl", "no such file"])
        self.refused("report", self.write("x", "hello\n"), parts=["x:1:", "no warpmark report"])
        self.refused("report", "x", "--format", "htm", parts=["'htm'", "html, md, csv, table, junit, github, gbench"])

    def test_missing_devices_are_exit_5(self):
        for device in ["cuda:99", "cpu"]:
            message = self.tool(
                "run", "--case", "matmul m=1 n=1 k=1", "--device", device, "--out", "out", code=5
            ).stderr
            self.assertIn(device, message)
            self.assertFalse((self.folder / "out").exists())
