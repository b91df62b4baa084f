"""warpmark import: sweeps on disk and on standard output, remarks on standard error, exit codes."""

import json

import jsonschema

from tool import ROOT, ToolTest

SCHEMA = json.loads((ROOT / "configs" / "schema" / "sweep.schema.json").read_text())
COMMANDS = "MIOpenDriver convfp16 -n 1 -c 4 -H 5 -W 5 -k 4 -y 3 -x 3 -F 1\n" * 2 + "MIOpenDriver pool -n 1\n"


class Import(ToolTest):
    def test_the_sweep_runs(self):
        self.write("list.txt", COMMANDS)
        done = self.tool("import", "--from", "miopen", "list.txt", "-o", "mine.json", "--name", "mine")
        self.assertEqual(done.stdout, "")
        self.assertIn("list.txt:3: not read: op pool not in this library\n    MIOpenDriver pool -n 1\n", done.stderr)
        self.assertIn("read 2 problems (1 distinct) of list.txt; not read: 1", done.stderr)
        sweep = json.loads((self.folder / "mine.json").read_text())
        jsonschema.validate(sweep, SCHEMA)
        self.assertEqual((sweep["name"], sweep["cases"][0]["count"]), ("mine", 2))
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["list.txt", "mine.json"])
        records = self.lines(self.tool("run", "mine.json", "--device", "emu", "--out", "out").stdout)[1:-1]
        self.assertGreaterEqual(len(records), 2)

    def test_standard_output_and_every_format(self):
        texts = {
            "benchdnn": "--conv --dir=FWD_D mb1ic3ih5oc4kh3n\"first*2\"\n",
            "csv": "op,m,n,k\nmatmul,1,2,3\n",
            "cudnn-log": "I! CuDNN (v8005) function cudnnSoftmaxForward() called:\n"
            "i!     algo: type=cudnnSoftmaxAlgorithm_t; val=CUDNN_SOFTMAX_FAST (0);\n"
            "i!     mode: type=cudnnSoftmaxMode_t; val=CUDNN_SOFTMAX_MODE_CHANNEL (1);\n"
            "i!     xDesc: type=cudnnTensorDescriptor_t:\n"
            "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);\n"
            "i!         nbDims: type=int; val=4;\n"
            "i!         dimA: type=int; val=[2,5,1,1];\n"
            "i!         strideA: type=int; val=[5,1,1,1];\n",
        }
        for form, text in texts.items():
            with self.subTest(form=form):
                self.write("in.txt", text)
                sweep = json.loads(self.tool("import", "--from", form, "in.txt").stdout)
                jsonschema.validate(sweep, SCHEMA)
                self.assertEqual(len(sweep["cases"]), 1)

    def test_exit_codes(self):
        self.write("list.txt", COMMANDS)
        self.write("none.txt", "hello\n")
        strict = self.tool("import", "--from", "miopen", "list.txt", "-o", "x.json", "--strict", code=2)
        self.assertIn("nothing written", strict.stderr)
        self.tool("import", "--from", "miopen", "none.txt", "-o", "x.json", code=6)
        self.assertFalse((self.folder / "x.json").exists())
        self.assertIn("did you mean 'miopen'", self.tool("import", "--from", "miopn", "list.txt", code=2).stderr)
        self.assertIn("gone.txt", self.tool("import", "--from", "csv", "gone.txt", code=2).stderr)
        self.assertIn("--from", self.tool("import", "list.txt", code=2).stderr)
        self.tool("import", "--from", "miopen", "list.txt", "-o", "no/such/folder.json", code=5)


if __name__ == "__main__":
    import unittest

    unittest.main()
