#!/usr/bin/env python3
"""How many times slower each algorithm runs on emu-race than on emu: the table of docs/race-detector.md.

race_ratio.py [WARPMARK] [--rounds N] [--filter GLOB] [--case STRING ...]

Both devices run the same cases with one CPU thread, alternately; the ratio is that of each one's fastest
run of the kernel over the rounds, three in each."""

import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Small: a run on emu-race takes a few milliseconds, so that on a busy machine some are not interrupted.
CASES = [
    "matmul m=64 n=64 k=128",
    "matmul m=64 n=64 k=128 dtype=f16",
    "conv_fwd n=1 c=8 h=14 w=14 k=32 r=3 s=3 pad=1",
    "conv_bwd_data n=1 c=8 h=14 w=14 k=32 r=3 s=3 pad=1",
    "conv_bwd_filter n=1 c=8 h=14 w=14 k=32 r=3 s=3 pad=1",
    "conv_fwd n=1 c=8 h=14 w=14 k=32 r=3 s=3 pad=1 layout=nhwc dtype=f16",
    "softmax_fwd n=16 c=1000",
    "softmax_bwd n=16 c=1000",
    "activation_fwd n=1 c=64 h=28 w=28 fn=relu",
    "activation_bwd n=1 c=16 h=28 w=28 fn=gelu",
]


def kernel_times(binary, device, cases, pattern, folder):
    """{(case, variant): nanoseconds}"""
    words = [word for case in cases for word in ("--case", f"{case} algo=* recipe=normal")]
    if pattern:
        words += ["--filter", pattern]
    done = subprocess.run(
        [binary, "run", "--device", device, "--jobs", "1", "--stages", "verify,throughput", "--format", "jsonl",
         "--no-progress", "--out", str(folder), "--force", *words],
        capture_output=True, text=True)
    times = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record.get("status") == "passed":
            key = (record["case"].split(" algo=")[0], record["variant"])
            times[key] = record["timing"]["ci95_ns"][0]  # the fastest of three
        elif record.get("status") in ("error", "failed"):
            raise SystemExit(f"{device}: {record['case']}: {record['reason']}")
    if not times:
        raise SystemExit(done.stderr or f"{device}: nothing ran")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=str(ROOT / "build" / "dev" / "warpmark"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--filter", default="")
    parser.add_argument("--case", action="append", default=[])
    options = parser.parse_args()
    cases = options.case or CASES
    best = {"emu": {}, "emu-race": {}}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for device, known in best.items():
                for key, time in kernel_times(options.binary, device, cases, options.filter, folder).items():
                    known[key] = min(time, known.get(key, time))
    print("| variant | emu, ms | emu-race, ms | ratio |\n|---|---|---|---|")
    for key, plain in best["emu"].items():
        race = best["emu-race"][key]
        print(f"| {key[1]} | {plain / 1e6:.3f} | {race / 1e6:.2f} | {race / plain:.1f} |")


if __name__ == "__main__":
    main()
