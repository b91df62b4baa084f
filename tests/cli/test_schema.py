"""The published schemas agree with the tool."""

import json

import jsonschema

from tool import ROOT, ToolTest

SWEEP = json.loads((ROOT / "configs" / "schema" / "sweep.schema.json").read_text())
DEVICE = json.loads((ROOT / "configs" / "schema" / "device.schema.json").read_text())
RECORD = json.loads((ROOT / "configs" / "schema" / "record.schema.json").read_text())


class Schemas(ToolTest):
    def test_are_draft_7(self):
        for schema in (SWEEP, RECORD, DEVICE):
            jsonschema.Draft7Validator.check_schema(schema)

    def test_configs_validate(self):
        for path in sorted((ROOT / "configs").glob("*.json")):
            with self.subTest(path=path.name):
                jsonschema.validate(json.loads(path.read_text()), SWEEP)

    def test_devices_validate_and_name_their_sources(self):
        paths = sorted((ROOT / "configs" / "devices").glob("*.json"))
        self.assertGreaterEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path=path.name):
                device = json.loads(path.read_text())
                jsonschema.validate(device, DEVICE)
                values = [*device.values(), *device["peaks"].values()]
                used = {value["source"] for value in values if isinstance(value, dict) and "source" in value}
                self.assertEqual(used, set(device["sources"]))

    def test_a_device_of_the_users_own(self):
        device = json.loads((ROOT / "configs" / "devices" / "a100.json").read_text())
        device["arch"] = "mine"
        path = self.write("mine.json", device)
        case = ("--case", "matmul m=4 n=4 k=4 algo=naive", "--format", "json")
        self.tool("explain", *case, "--emu-arch", path)
        device["sm_count"]["value"] = "many"
        broken = self.write("broken.json", device)
        run = self.tool("explain", *case, "--emu-arch", broken, code=2)
        self.assertIn("/sm_count/value: expected an integer", run.stderr)
        del device["sm_count"]
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(device, DEVICE)
        archs = json.loads(self.tool("list", "archs", "--format", "json").stdout)
        self.assertEqual({arch["arch"] for arch in archs}, {path.stem for path in (ROOT / "configs" / "devices").glob("*.json")})

    def test_every_op_and_key_is_in_the_sweep_schema(self):
        ops = json.loads(self.tool("list", "ops", "--format", "json").stdout)
        self.assertEqual({op["name"] for op in ops}, set(SWEEP["definitions"]["op"]["enum"]))
        keys = set(SWEEP["definitions"]["case"]["properties"])
        defaults = set(SWEEP["properties"]["defaults"]["properties"])
        conditions = set(SWEEP["properties"]["exclude"]["items"]["properties"])
        for op in ops:
            for key in op["case_keys"]:
                self.assertIn(key, keys, op["name"])
                if key not in ("label", "count", "atol"):
                    self.assertIn(key, defaults, op["name"])
                    self.assertIn(key, conditions, op["name"])

    def test_schema_and_tool_refuse_alike(self):
        good = {"op": "matmul", "m": 1, "n": 1, "k": 1}
        for bad in [
            {"cases": [{**good, "color": 1}]},
            {"cases": [{**good, "m": -1}]},
            {"cases": [{**good, "m": "1"}]},
            {"cases": [{**good, "m": []}]},
            {"cases": [{"m": 1}]},
            {"cases": [{**good, "op": "mul"}]},
            {"cases": [{**good, "m": {"range": [1]}}]},
            {"cases": [good], "run": {"stages": ["all"]}},
            {"cases": [good], "exclude": [{}]},
            {"cases": [good], "require": {"luck": 1}},
            {"name": "no cases"},
        ]:
            with self.subTest(bad=bad):
                with self.assertRaises(jsonschema.ValidationError):
                    jsonschema.validate(bad, SWEEP)
                self.tool("expand", self.write("bad.json", bad), code=2)
