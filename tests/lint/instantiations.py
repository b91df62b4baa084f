"""instantiations.py NM OBJECT...: how many kernels each kernel file instantiates, counted by the launch
functions in its object. More than the budget is an error: compile time grows with them, and a file at
the budget already takes nvcc more than ten seconds for one architecture."""

import pathlib
import re
import subprocess
import sys

BUDGET = 12
# stem of the object -> (count allowed, why)
EXCEPTIONS = {
    "conv_bwd_data_scatter_atomic": (15, "four of them are the few lines of blend_kernel"),
    "conv_bwd_filter_split_atomic": (15, "four of them are the few lines of blend_kernel"),
}
# The function through which a launch hands one kernel's thread loop to the emulator.
LAUNCH = re.compile(r"launch_emulatedI.*(?:_FUN|__invoke)\w*$")


def count(nm_text):
    return len({line.split()[-1] for line in nm_text.splitlines() if LAUNCH.search(line)})


def problems(counts):
    """(stem, count) pairs that exceed the budget, and exceptions nobody needs any more."""
    for stem, number in sorted(counts.items()):
        allowed = EXCEPTIONS.get(stem, (BUDGET, ""))[0]
        if number > allowed:
            yield f"{stem}: {number} kernel instantiations, at most {allowed}; pass at run time what need not be a template parameter, or split the file"
        if stem in EXCEPTIONS and number <= BUDGET:
            yield f"{stem}: {number} kernel instantiations need no exception"


def main(nm, objects):
    counts = {}
    for path in map(pathlib.Path, objects):
        text = subprocess.run([nm, path], capture_output=True, text=True, check=True).stdout
        stem = path.name.split(".")[0]
        if stem != "register_all":
            counts[stem] = count(text)
    for stem, number in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{number:3} {stem}")
    found = list(problems(counts))
    if not counts or min(counts.values()) == 0:
        found.append("a kernel file without any launch: the count is wrong")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
