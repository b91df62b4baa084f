"""cuda_build.py BUILD_FOLDER: what nvcc made of the kernels. Fails when a file took longer than the
limit (from .ninja_log; a compiler cache's hits count as they are), or when a kernel keeps anything in
local memory: spilled registers, or an array that is indexed at run time.

WARPMARK_NVCC_LIMIT_S: the limit in seconds, for slower machines."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# A file takes 4 to 15 s for one architecture on one core of the machine the limit was set on, up to
# twice that with as many compilations as cores beside it.
LIMIT_S = 30.0
# pattern over the kernel's mangled name -> why it may use local memory
LOCAL_MEMORY_ALLOWED = {}

OBJECT = re.compile(r"cuda_kernel_objects\.dir/(.*\.cu)\.o$")
USAGE = re.compile(r"^\s*Function ([^\s:]+):\s*\n\s*REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)", re.MULTILINE)


def compile_seconds(log):
    """{kernel file: seconds of its latest compilation} from the text of a .ninja_log."""
    seconds = {}
    for line in log.splitlines():
        parts = line.split("\t")
        if len(parts) >= 4 and (match := OBJECT.search(parts[3])):
            seconds[match.group(1)] = (int(parts[1]) - int(parts[0])) / 1000
    return seconds


def slow_files(seconds, limit):
    return [f"{name}: nvcc took {spent:.1f} s, limit {limit:g} s" for name, spent in sorted(seconds.items()) if spent > limit]


def usages(text):
    """(kernel, registers, stack bytes, local bytes) of `cuobjdump -res-usage`."""
    return [(m[1], int(m[2]), int(m[3]), int(m[5])) for m in USAGE.finditer(text)]


def local_memory(kernels, allowed):
    found, needed = [], set()
    for name, registers, stack, local in kernels:
        if stack == 0 and local == 0:
            continue
        reasons = [pattern for pattern in allowed if re.search(pattern, name)]
        needed.update(reasons)
        if not reasons:
            found.append(f"{name}: {stack + local} bytes of local memory a thread ({registers} registers): it spills or indexes an array at run time")
    found += [f"{pattern}: no kernel needs this exception" for pattern in allowed if pattern not in needed]
    return found


def main(folder):
    folder = pathlib.Path(folder)
    limit = float(os.environ.get("WARPMARK_NVCC_LIMIT_S", LIMIT_S))
    seconds = compile_seconds((folder / ".ninja_log").read_text())
    objects = sorted((folder / "CMakeFiles/cuda_kernel_objects.dir").rglob("*.cu.o"))
    if not seconds or not objects:
        print(f"cuda_build.py: no CUDA kernels in {folder}")
        return 1
    print("slowest files (seconds of nvcc):")
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1])[:5]:
        print(f"  {spent:6.1f} {name}")
    dump = shutil.which("cuobjdump") or str(pathlib.Path(shutil.which("nvcc") or "").parent / "cuobjdump")
    kernels = []
    for each in objects:
        text = subprocess.run([dump, "-res-usage", each], capture_output=True, text=True, check=True).stdout
        kernels += usages(text)
    print(f"{len(kernels)} kernels, at most {max((k[1] for k in kernels), default=0)} registers")
    found = slow_files(seconds, limit) + local_memory(kernels, LOCAL_MEMORY_ALLOWED)
    if not kernels:
        found.append("cuobjdump found no kernel")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
