"""cuda_build.py BUILD_FOLDER: a build with WARPMARK_CUDA_NO_LOCAL_MEMORY refuses spilled registers (a
planted kernel shows that it does), and no kernel file takes nvcc longer than the limit. The time is
that of .ninja_log (a compiler cache's hits count as they are); a file that took too long there,
perhaps beside other work, is compiled once more and its processor time counts.

WARPMARK_NVCC_LIMIT_S: the limit in seconds, for slower machines."""

import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

# A file takes 4 to 14 s for one architecture on one core of the machine the limit was set on.
LIMIT_S = 20.0
PLANTED = pathlib.Path(__file__).with_name("spill.cu")

OBJECT = re.compile(r"cuda_kernel_objects\.dir/(.*\.cu)\.o$")


def compile_seconds(log):
    """{kernel file: seconds of its latest compilation} from the text of a .ninja_log."""
    seconds = {}
    for line in log.splitlines():
        parts = line.split("\t")
        if len(parts) >= 4 and (match := OBJECT.search(parts[3])):
            seconds[match.group(1)] = (int(parts[1]) - int(parts[0])) / 1000
    return seconds


def slow_files(seconds, limit, measure):
    """Files over the limit by `seconds` and, once more, by `measure(file)`."""
    for name, spent in sorted(seconds.items()):
        if spent > limit and (again := measure(name)) > limit:
            yield f"{name}: nvcc takes {again:.1f} s, limit {limit:g} s"


def compile_again(folder, name, source=None):
    """Compiles the file as the build did, past the compiler cache and into nowhere; with `source`, that
    one in its place. Gives the finished process and its processor time."""
    target = f"CMakeFiles/cuda_kernel_objects.dir/{name}.o"
    done = subprocess.run(["ninja", "-C", folder, "-t", "commands", target], capture_output=True, text=True, check=True)
    words = shlex.split(done.stdout.splitlines()[-1])
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    with tempfile.TemporaryDirectory() as scratch:
        for option, file in (("-o", "kernel.o"), ("-MF", "kernel.d")):
            if option in words:
                words[words.index(option) + 1] = str(pathlib.Path(scratch, file))
        if source:
            words = [str(source) if word.endswith(name) else word for word in words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(folder):
    folder = pathlib.Path(folder)
    limit = float(os.environ.get("WARPMARK_NVCC_LIMIT_S", LIMIT_S))
    seconds = compile_seconds((folder / ".ninja_log").read_text())
    if not seconds:
        print(f"cuda_build.py: no CUDA kernels in {folder}")
        return 1
    print("slowest files (seconds of nvcc):")
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1])[:5]:
        print(f"  {spent:6.1f} {name}")
    found = list(slow_files(seconds, limit, lambda name: compile_again(folder, name)[1]))
    planted, _ = compile_again(folder, min(seconds), PLANTED)
    if planted.returncode == 0 or "spilled" not in planted.stderr + planted.stdout:
        found.append(f"the planted spill of {PLANTED.name} was not refused:\n{planted.stderr}")
    print("\n".join(found) if found else "no kernel spills, no file is over the limit")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
