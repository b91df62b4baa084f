"""The sweeps of configs/: each expands, says where its shapes come from, and fits its schema; the networks have
the layers that they are known to have."""

import json

import jsonschema

from tool import ROOT, ToolTest

FOLDER = ROOT / "configs"
SCHEMA = json.loads((FOLDER / "schema" / "sweep.schema.json").read_text())
# Layers of the networks, with repetition.
LAYERS = {"vgg19": 16, "inception_v3": 94, "mobilenet": 27 + 52, "resnet50_conv": 53}


def sweeps():
    return sorted(FOLDER.glob("*.json")) + sorted((FOLDER / "full").glob("*.json"))


def occurrences(sweep):
    return sum(case.get("count", 1) for case in sweep["cases"])


class Configs(ToolTest):
    def test_each_expands_and_is_described(self):
        self.assertGreaterEqual(len(sweeps()), 20)
        for path in sweeps():
            with self.subTest(path=str(path.relative_to(ROOT))):
                sweep = json.loads(path.read_text())
                jsonschema.validate(sweep, SCHEMA)
                self.assertGreater(len(sweep["description"]), 60)
                self.assertGreater(int(self.tool("expand", path, "--format", "count").stdout), 0)

    def test_full_sizes_never_run_on_the_emulator(self):
        for path in sorted((FOLDER / "full").glob("*.json")):
            with self.subTest(path=path.name):
                self.assertEqual(json.loads(path.read_text())["require"]["device"], "cuda")
                self.assertTrue((FOLDER / path.name).exists(), "its scaled twin")

    def test_networks_have_all_their_layers(self):
        for name, layers in LAYERS.items():
            for path in (FOLDER / f"{name}.json", FOLDER / "full" / f"{name}.json"):
                if path.exists():
                    with self.subTest(path=str(path.relative_to(ROOT))):
                        self.assertEqual(occurrences(json.loads(path.read_text())), layers)

    def test_full_shapes_are_those_of_the_networks(self):
        def shapes(name):
            cases = json.loads((FOLDER / "full" / f"{name}.json").read_text())["cases"]
            return {tuple(case[key] for key in "chwkrs"): case for case in cases}

        self.assertEqual(shapes("vgg19")[(512, 14, 14, 512, 3, 3)]["count"], 4)
        inception = shapes("inception_v3")
        self.assertEqual(inception[(160, 17, 17, 160, 1, 7)]["pad"], "0x3")
        self.assertEqual(inception[(192, 17, 17, 192, 7, 1)]["pad"], "3x0")
        self.assertEqual(inception[(3, 299, 299, 32, 3, 3)]["stride"], 2)
        mobilenet = json.loads((FOLDER / "full" / "mobilenet.json").read_text())["cases"]
        depthwise = [case for case in mobilenet if "groups" in case]
        self.assertTrue(all(case["groups"] == case["c"] == case["k"] for case in depthwise))
        self.assertEqual(sum(case.get("count", 1) for case in depthwise), 13 + 17)


if __name__ == "__main__":
    import unittest

    unittest.main()
