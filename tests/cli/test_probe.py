"""`warpmark probe mma`: the arithmetic of a tensor core from its results, through files and back."""

import json
import random

import jsonschema

from tool import ROOT, ToolTest

SCHEMA = json.loads((ROOT / "configs" / "schema" / "mma_model.schema.json").read_text())
DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32}


def drawn(seed):
    """A tensor core nobody has built. Where a sum always fits, its rounding cannot be seen: drawn as truncate."""
    chance = random.Random(seed)
    operands = {}
    for operand, depth in DEPTHS.items():
        products = chance.choice([m for m in (4, 8, 16, 32) if m <= depth])
        extra = chance.randint(-10, 3)
        fraction = min(23, 23 + extra)
        operands[operand] = {
            "products": products,
            "extra_bits": extra,
            "fraction_bits": fraction,
            "terms": chance.choice(["truncate", "nearest"]),
            "sum": chance.choice(["truncate", "nearest"]),
            "subnormals": chance.choice(["minimum", "normalised", "flush"]),
        }
    return {
        "schema": "warpmark.mma_model/1",
        "name": "hidden",
        "device": f"seed {seed}",
        "ieee": False,
        "fp8_by_f16": False,
        "operands": operands,
    }


class Probe(ToolTest):
    def probe(self, *words, code=0):
        self.tool("probe", "mma", "--device", "emu", "-o", "found.json", *words, code=code)
        found = json.loads((self.folder / "found.json").read_text())
        jsonschema.validate(found, SCHEMA)
        return found

    def test_schema_is_draft_7(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_models_drawn_at_random(self):
        seeds = random.sample(range(1 << 30), 5)
        for seed in seeds:
            with self.subTest(seed=seed):
                hidden = drawn(seed)
                jsonschema.validate(hidden, SCHEMA)
                self.write("hidden.json", hidden)
                found = self.probe("--emu-arch", "h200+hidden.json")
                for operand in found["operands"].values():
                    self.assertGreater(operand.pop("confirmed"), 1000)
                self.assertEqual(found["operands"], hidden["operands"])

    def test_published_models(self):
        a100 = self.probe("--emu-arch", "a100")
        self.assertEqual({key: value["products"] for key, value in a100["operands"].items()}, {"f16": 8, "bf16": 8, "tf32": 4})
        h200 = self.probe("--emu-arch", "h200")
        self.assertTrue(h200["fp8_by_f16"])
        self.assertTrue(self.probe("--emu-arch", "h200+ieee")["ieee"])
        # The file computes what the model it was found on does.
        case = "matmul m=24 n=40 k=130 dtype=bf16 algo=tensor_core"
        self.probe("--emu-arch", "a100", "--name", "again")
        digests = []
        for number, arch in enumerate(("h200+a100", "h200+found.json")):
            done = self.tool("verify", "--device", "emu", "--emu-arch", arch, "--out", f"out{number}", "--case", case, "--dump", f"dump{number}")
            record = self.lines(done.stdout)[1]
            self.assertEqual(record["claims"]["tensor_core"], ("a100", "again")[number])
            digests.append([path.read_bytes() for path in sorted((self.folder / f"dump{number}").rglob("d.npy"))])
        self.assertTrue(digests[0])
        self.assertEqual(digests[0], digests[1])

    def test_a_model_may_stand_in_the_case(self):
        self.probe("--emu-arch", "a100")
        self.tool("run", "--device", "emu", "--out", "out", "--case", "matmul m=8 n=8 k=32 dtype=f16 algo=tensor_core emu_arch=h200+found.json")

    def test_broken_files_are_named(self):
        good = drawn(1)
        for change, word in (
            (lambda file: file.pop("ieee"), "'ieee' is missing"),
            (lambda file: file["operands"]["f16"].pop("terms"), "'terms' is missing"),
            (lambda file: file["operands"]["f16"].update(terms="up"), "/operands/f16/terms: unknown terms 'up'"),
            (lambda file: file["operands"]["f16"].update(products=0), "/operands/f16/products: products is 0"),
            (lambda file: file["operands"]["f16"].update(extra_bits=4), "extra_bits is 4, allowed are -16 to 3"),
            (lambda file: file["operands"].update(f8={}), "unknown operand 'f8'"),
            (lambda file: file.update(color=1), "unknown key of a tensor-core model 'color'"),
            (lambda file: file.update(name="a100"), "published"),
            (lambda file: file.update(schema="other"), "warpmark.mma_model/1"),
        ):
            file = json.loads(json.dumps(good))
            change(file)
            with self.subTest(word=word):
                self.write("bad.json", file)
                done = self.tool("probe", "mma", "--device", "emu", "--emu-arch", "h200+bad.json", code=2)
                self.assertIn(word, done.stderr)
        self.tool("probe", "mma", "--device", "emu", "--emu-arch", "h200+none.json", code=2)

    def test_wrong_use(self):
        for words in (("mma", "--name", "h100"), ("mma", "--name", "a b"), ("sma",), (), ("mma", "--format", "xml")):
            self.tool("probe", *words, code=2)
