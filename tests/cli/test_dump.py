"""--dump: the tensors of a case as files that are valid inputs, and replay the case's digests."""

import array
import ast
import json
import pathlib
import unittest

import tool


def read_npy(path):
    """(type, shape, bytes) of a .npy file: an independent reading of its format."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10 : 10 + length].decode())
    assert (10 + length) % 64 == 0 and not header["fortran_order"]
    return header["descr"], header["shape"], data[10 + length :]


class Dump(tool.ToolTest):
    def run_case(self, case, *words):
        done = self.tool("verify", "--case", case, "--device", "emu", "--out", "out", "--force", "--stages", "verify,determinism", *words)
        return self.lines(done.stdout)[1:-1]

    def test_every_tensor_with_its_type_and_shape(self):
        record, = self.run_case("conv_fwd n=2 c=3 h=5 w=4 k=2 r=3 s=3 pad=1 dtype=bf16 bias=1 layout=nhwc algo=direct", "--dump", "d")
        folder = self.folder / "d" / record["case_id"]
        text = json.loads((folder / "case.json").read_text())
        self.assertEqual(text["case"], record["case"])
        self.assertEqual(text["variant"], record["variant"])
        self.assertEqual(text["problem"], record["problem"])
        self.assertEqual(text["tensors"]["x"], {"dtype": "bf16", "shape": [2, 3, 5, 4], "role": "input"})
        shapes = {"x": (2, 3, 5, 4), "w": (2, 3, 3, 3), "y": (2, 2, 5, 4)}
        for name, shape in shapes.items():
            descr, found, data = read_npy(folder / f"{name}.npy")
            self.assertEqual((descr, found, len(data)), ("<u2", shape, 2 * _product(shape)))
        for name in ("y.ref", "y.bound"):
            self.assertEqual(read_npy(folder / f"{name}.npy")[:2], ("<f8", shapes["y"]))

    def test_outputs_lie_within_the_dumped_bound(self):
        record, = self.run_case("matmul m=7 n=5 k=33 dtype=f32 algo=naive", "--dump", "d")
        folder = self.folder / "d" / record["case_id"]
        got = array.array("f", read_npy(folder / "d.npy")[2])
        want = array.array("d", read_npy(folder / "d.ref.npy")[2])
        bound = array.array("d", read_npy(folder / "d.bound.npy")[2])
        errors = [abs(g - w) / b for g, w, b in zip(got, want, bound)]
        self.assertEqual(len(errors), 35)
        self.assertAlmostEqual(max(errors), record["accuracy"]["d"]["bound_utilisation"], places=12)
        self.assertLess(0, max(errors))

    def test_dumped_inputs_replay_the_digests(self):
        for dtype in ("f32", "f16", "bf16", "f64"):
            record, = self.run_case(f"matmul m=9 n=8 k=7 beta=1 dtype={dtype} algo=naive", "--dump", "d")
            folder = self.folder / "d" / record["case_id"]
            inputs = " ".join(f"in.{name}=@{folder}/{name}.npy" for name in ("a", "b", "c"))
            again, = self.run_case(f"matmul m=9 n=8 k=7 beta=1 dtype={dtype} algo=naive {inputs}")
            self.assertEqual(again["determinism"]["digests"], record["determinism"]["digests"])

    def test_a_file_that_does_not_fit_is_a_mistake_of_the_plan(self):
        record, = self.run_case("matmul m=9 n=8 k=7 algo=naive", "--dump", "d")
        folder = self.folder / "d" / record["case_id"]
        (self.folder / "cut.npy").write_bytes((folder / "a.npy").read_bytes()[:-1])
        (self.folder / "no.npy").write_text("no npy file")
        for path, part in ((folder / "b.npy", "has shape (1, 7, 8), the tensor has (1, 9, 7)"), (self.folder / "cut.npy", "bytes of data, needs"),
                           (self.folder / "no.npy", "is not a .npy file")):
            case = ["--case", "matmul m=2 n=2 k=2", "--case", f"matmul m=9 n=8 k=7 algo=naive in.a=@{path}"]
            self.assertIn(part, self.tool("verify", *case, "--device", "emu", "--out", "fresh", code=2).stderr)
        self.assertFalse((self.folder / "fresh").exists())

    def test_a_dump_that_cannot_be_written_is_exit_5(self):
        (self.folder / "file").write_text("")
        for words in ([], ["--no-isolation"]):
            done = self.tool("verify", "--case", "matmul m=2 n=2 k=2", "--device", "emu", "--out", "out", "--force", "--dump", "file/d", *words, code=5)
            self.assertIn("cannot make the folder file/d", done.stderr)

    def test_a_case_that_does_not_run_leaves_no_folder(self):
        self.tool("verify", "--case", "conv_fwd n=1 c=2 d=3 h=3 w=3 k=1 t=1 r=1 s=1 algo=direct", "--device", "emu", "--out", "out", "--dump", "d", code=77)
        self.assertFalse((self.folder / "d").exists())

    def test_long_inputs_go_to_files_that_the_repro_names(self):
        values = ",".join(str(i % 7) for i in range(600))
        record, = self.run_case(f"matmul m=20 n=2 k=30 in.a=[{values}] algo=naive")
        self.assertIn(f"in.a=@", record["repro"])
        self.assertLess(len(record["repro"]), 600)
        case = record["repro"].split("--case '")[1].rstrip("'")
        again, = self.run_case(case)
        self.assertEqual(again["determinism"]["digests"], record["determinism"]["digests"])


def _product(shape):
    total = 1
    for size in shape:
        total *= size
    return total


if __name__ == "__main__":
    unittest.main()
