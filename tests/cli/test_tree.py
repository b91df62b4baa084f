"""`warpmark tree`: the summation trees of the library's linear variants."""

import json
import os
import re

import jsonschema

import tool
from tool import ROOT, ToolTest

RECORD = json.loads((ROOT / "configs" / "schema" / "record.schema.json").read_text())
LAST = re.compile(r"leaves (\d+) height (\d+) hash ([0-9a-f]{16})")


class Tree(ToolTest):
    def tree(self, case, *words, code=0):
        lines = self.tool("tree", "--device", "emu", "--case", case, *words, code=code).stdout.splitlines()
        match = LAST.fullmatch(lines[-1])
        self.assertTrue(match, lines)
        return lines[2].strip(), int(match[1]), int(match[2]), match[3]

    def trees(self, case, *words, code=0):
        out = self.tool("tree", "--device", "emu", "--case", case, "--format", "json", *words, code=code).stdout
        return {each["variant"].split("/")[1]: each for each in self.lines(out)}

    def test_chains(self):
        chain = self.tree("matmul m=16 n=16 k=200 algo=naive")
        self.assertEqual(chain[:3], ("0..199", 200, 200))
        for algo in ("register_tiled", "tiled_smem"):
            self.assertEqual(self.tree(f"matmul m=40 n=70 k=200 algo={algo}"), chain)
        for other in ("matmul m=1 n=1 k=200 algo=naive", "matmul m=3 n=9 k=200 transpose_a=1 transpose_b=1 batch=2 algo=naive"):
            self.assertEqual(self.tree(other), chain)

    def test_sizes_and_types(self):
        for dtype, k in (("f32", 4096), ("f64", 4096), ("f16", 1024), ("bf16", 1024)):
            with self.subTest(dtype=dtype):
                text, leaves, height, _ = self.tree(f"matmul m=32 n=4 k={k} dtype={dtype} algo=naive")
                self.assertEqual((text, leaves, height), (f"0..{k - 1}", k, k))

    def test_splits(self):
        config = "config=tile=32x32x8,splits=4"
        text, leaves, height, ordered = self.tree(f"matmul m=33 n=17 k=300 algo=split_k_ordered {config}")
        self.assertEqual((text, leaves, height), ("(0..79)x3@80 + (240..299)", 300, 83))
        case = f"matmul m=33 n=17 k=300 algo=split_k_atomic {config}"
        self.assertEqual(self.tree(case)[3], ordered, "in order, atomics add as the ordered variant does")
        hashes = {self.tree(case, "--schedule", order)[3] for order in ("in_order", "reverse", "random:3")}
        self.assertEqual(len(hashes), 3, "the order of atomics is the schedule's")
        self.assertEqual(self.tree(f"{case} schedule=reverse")[3], self.tree(case, "--schedule", "reverse")[3])
        for order in ("reverse", "random:3"):
            self.assertEqual(self.tree(f"matmul m=33 n=17 k=300 algo=split_k_ordered {config}", "--schedule", order)[3], ordered)

    def test_tensor_core_groups(self):
        for arch, group in (("h200", 16), ("a100", 8), ("h200+v100", 4)):
            with self.subTest(arch=arch):
                case = "matmul m=64 n=8 k=96 dtype=f16 algo=tensor_core"
                text, leaves, height, _ = self.tree(case, "--emu-arch", arch)
                self.assertEqual((text, leaves, height), (f"{{0..{group - 1}}}x{96 // group}@{group}", 96, 96 // group))
                found = self.trees(case, "--emu-arch", arch)["tensor_core"]
                self.assertEqual(found["widest"], group + 1)
        naive = self.tree("matmul m=64 n=8 k=90 dtype=f16 algo=naive")
        ieee = self.tree("matmul m=64 n=8 k=90 dtype=f16 algo=tensor_core", "--emu-arch", "h200+ieee")
        self.assertEqual(ieee[3], naive[3])

    def test_no_variant_is_taller_than_it_claims(self):
        for case in (
            "conv_fwd n=2 c=4 h=8 w=9 k=6 r=3 s=2 pad=1 groups=2",
            "conv_fwd n=2 c=2 h=5 w=9 k=3 r=3 s=3 stride=2 layout=nhwc dtype=f16",
            "conv_bwd_data n=1 c=4 h=8 w=9 k=6 r=3 s=3 pad=1 stride=2",
            "conv_bwd_data n=2 c=3 h=6 w=6 k=8 r=3 s=3 pad=1 dtype=bf16 layout=nhwc",
            "conv_bwd_filter n=3 c=2 h=9 w=8 k=4 r=3 s=3 pad=1",
            "conv_bwd_filter n=2 c=2 h=9 w=8 k=4 r=1 s=1 dtype=f64 layout=nhwc",
            "matmul m=20 n=18 k=130 dtype=f64",
        ):
            for algo, found in self.trees(case).items():
                with self.subTest(case=case, algo=algo):
                    self.assertNotIn("reason", found)
                    self.assertLessEqual(found["height"], found["claimed_height"])
                    self.check_nodes(found)

    def check_nodes(self, found):
        """The nodes are one tree over all leaves, and as high as it says."""
        depth = [0] * found["leaves"]
        used = set()
        for children in found["nodes"]:
            self.assertFalse(used & set(children))
            used |= set(children)
            depth.append(1 + max(depth[child] for child in children))
        self.assertEqual(used, set(range(found["leaves"] + len(found["nodes"]) - 1)))
        self.assertEqual(depth[-1] + 1, found["height"], "and the rounding of the product")

    def test_lanes_of_a_warp(self):
        found = self.trees("conv_bwd_filter n=2 c=1 h=16 w=16 k=4 r=1 s=1 algo=direct config=tile=8x4,lanes=32")["direct"]
        self.assertEqual(found["text"], "(((((0..480/32)x2@16)x2@8)x2@4)x2@2)x2@1")
        self.assertEqual((found["leaves"], found["height"], found["claimed_height"]), (512, 21, 21))

    def test_dot(self):
        dot = self.tool("tree", "--device", "emu", "--case", "matmul m=2 n=2 k=3 algo=naive", "--format", "dot").stdout
        self.assertTrue(dot.startswith("digraph"))
        self.assertEqual(dot.count("->"), 4)

    def test_what_has_no_tree(self):
        for case, word in (
            ("softmax_fwd n=2 c=4", "not linear"),
            ("activation_fwd n=1 c=1 h=2 w=2 fn=relu", "not linear"),
            ("matmul m=3 n=3 k=4 alpha=2 algo=naive", "alpha=2"),
            ("matmul m=3 n=3 k=4 beta=1 algo=naive", "beta=1"),
            ("conv_fwd n=1 c=1 h=4 w=4 k=1 r=3 s=3 bias=1 algo=direct", "epilogue"),
            ("matmul m=0 n=3 k=4 algo=naive", "no elements"),
        ):
            with self.subTest(case=case):
                self.assertIn(f"no tree: ", self.tool("tree", "--device", "emu", "--case", case, code=77).stdout)
                self.assertIn(word, self.tool("tree", "--device", "emu", "--case", case, code=77).stdout)

    def test_wrong_use(self):
        for words in (
            ("--case", "matmul m=2 n=2 k=2 algo=nothing"),
            ("--case", "matmul m=2 n=2 k=2", "--schedule", "sideways"),
            ("--case", "matmul m=2 n=2 k=2", "--format", "xml"),
            (),
        ):
            self.tool("tree", *words, code=2)

    def test_the_audit_records_the_tree(self):
        case = "matmul m=17 n=20 k=40 algo=split_k_ordered"
        done = self.tool("audit", "--device", "emu", "--repeats", "2", "--schedules", "2", "--out", "out", "--case", case)
        record = self.lines(done.stdout)[1]
        jsonschema.validate(record, RECORD)
        _, _, height, digest = self.tree(case)
        self.assertEqual(record["tree"], {"d": {"height": height, "hash": digest}})

    def test_a_tree_taller_than_claimed_is_named(self):
        plain, tool.BINARY = tool.BINARY, os.environ["WARPMARK_FAULTY"]
        self.addCleanup(setattr, tool, "BINARY", plain)
        case = "matmul m=40 n=36 k=300 algo=faulty_tall_tree"
        told = "the tree of 'd' has height 300, taller than the claimed 10"
        self.assertIn(told, self.tool("tree", "--device", "emu", "--case", case, code=1).stderr)
        audit = ("audit", "--device", "emu", "--repeats", "2", "--schedules", "2", "--out", "out", "--case", case)
        record = self.lines(self.tool(*audit, code=1).stdout)[1]
        self.assertEqual((record["status"], record["reason"]), ("failed", told))
        # Neither gate can see it: the bound of the claim holds for these inputs.
        self.tool("verify", "--device", "emu", "--out", "verified", "--case", case)
