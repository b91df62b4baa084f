#!/usr/bin/env python3
"""Builds the mutants of this folder and demands that each is caught by the gate its header names.

run.py [--build build/dev] [--quick] [--jobs N] [--markdown] [NAME...]
"""

import argparse
import os
import pathlib
import sys
import tempfile

import mutants as engine

HERE = pathlib.Path(__file__).resolve().parent


def verdict(mutant, records):
    """(what to print, whether the mutant is caught as it must be)"""
    if mutant.error:
        return "does not compile: " + mutant.error.splitlines()[-1], False
    for record in records:
        gate = engine.seen_by(record)
        if gate != mutant.gate:
            found = f"{gate}: " if gate else f"{record['status']}: "
            return f"MISSED, not by {mutant.gate}: {found}{record['reason']}", False
    return records[0]["reason"], True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=str(engine.ROOT / "build/dev"))
    parser.add_argument("--quick", action="store_true", help="only those marked so")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", "1")))
    parser.add_argument("--markdown", action="store_true", help="the table of docs/verification.md")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [engine.read_mutant(path) for path in sorted(HERE.glob("*.patch"))]
    if options.names:
        chosen = [mutant for mutant in chosen if mutant.name in options.names]
    if options.quick:
        chosen = [mutant for mutant in chosen if mutant.quick]
    with tempfile.TemporaryDirectory(prefix="warpmark-mutants-") as work:
        red = engine.red_without_fault(pathlib.Path(options.build) / "warpmark", chosen, pathlib.Path(work))
        if red:
            sys.exit("not green without a fault:\n" + "\n".join(red))
        tool = engine.Builder(options.build, work, options.jobs).binary(chosen)
        records = engine.run_mutants(tool, [mutant for mutant in chosen if not mutant.error], pathlib.Path(work))
    missed = 0
    for mutant in chosen:
        text, caught = verdict(mutant, records.get(mutant.name, []))
        missed += not caught
        kernel = mutant.kernel.removeprefix("src/kernels/").removesuffix(".cu")
        if options.markdown:
            print(f"| {mutant.what} | `{kernel}` | {mutant.gate if caught else 'MISSED'} |")
        else:
            print(f"{mutant.name:40} {mutant.gate if caught else 'MISSED':10} {text[:200]}")
    print(f"\n{len(chosen) - missed} of {len(chosen)} mutants caught by the gate they name")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
