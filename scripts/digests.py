#!/usr/bin/env python3
"""Golden digests of sweeps: `case_id algorithm tensor digest`, one line a tensor, sorted. A digest is the
first 16 digits of the record's canonical digest (SHA-256 over the elements, every NaN the same).

  digests.py --check FILE CONFIG   runs the sweep and compares; exit 1 names each case that differs
  digests.py --write FILE CONFIG   runs the sweep and writes the file

--binary: the tool (default build/dev/warpmark); --run: a program to run it with, such as an emulator of
another CPU; --filter: only variants of this glob (the others' lines are not compared)."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

DIGITS = 16


def run(options):
    """{(case_id, algorithm, tensor): (digest, case string)} of the sweep."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*shlex.split(options.run), options.binary, "run", options.config, "--device", "emu",
                   "--stages", "determinism", "--repeats", "1", "--no-progress", "--format", "csv", "--out", folder]
        if options.filter:
            command += ["--filter", options.filter]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = pathlib.Path(folder, "records.jsonl").read_text().splitlines() if done.returncode in (0, 1) else []
    records = [record for record in map(json.loads, lines) if "case_id" in record]
    if not records:
        sys.exit(f"digests.py: {shlex.join(command)} gave no records (exit {done.returncode})\n{done.stderr}")
    found = {}
    for record in records:
        if record["status"] == "unsupported":
            continue
        if "determinism" not in record:
            sys.exit(f"digests.py: {record['case']}: {record['status']}: {record['reason']}")
        for tensor, digest in record["determinism"]["canonical_digests"].items():
            found[record["case_id"], f"{record['op']}/{record['algorithm']}", tensor] = digest[:DIGITS], record["case"]
    return found


def read(path):
    golden = {}
    for line in pathlib.Path(path).read_text().splitlines():
        case_id, algorithm, tensor, digest = line.split()
        golden[case_id, algorithm, tensor] = digest
    return golden


def differences(found, golden, partial):
    """What is unequal, one line each; with `partial` only what was run is compared."""
    for key, (digest, case) in sorted(found.items()):
        if key not in golden:
            yield f"{' '.join(key)}: not among the golden digests: {case}"
        elif golden[key] != digest:
            yield f"{' '.join(key)}: {digest}, golden {golden[key]}: {case}"
    for key in sorted(set(golden) - set(found)):
        if not partial:
            yield f"{' '.join(key)}: golden, but the sweep has no such case"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", metavar="FILE")
    action.add_argument("--write", metavar="FILE")
    parser.add_argument("--binary", default="build/dev/warpmark")
    parser.add_argument("--run", default="", metavar="PROGRAM")
    parser.add_argument("--filter", default="", metavar="GLOB")
    parser.add_argument("config")
    options = parser.parse_args()
    found = run(options)
    if options.write:
        lines = [f"{' '.join(key)} {digest}\n" for key, (digest, _) in sorted(found.items())]
        pathlib.Path(options.write).write_text("".join(lines))
        print(f"{options.write}: {len(lines)} digests")
        return 0
    unequal = list(differences(found, read(options.check), bool(options.filter)))
    print("\n".join(unequal) if unequal else f"{len(found)} digests equal those of {options.check}")
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
