"""What the objects of the kernel flavours may share: nothing.

check_symbols.py NM PLAIN INSTRUMENTED...: PLAIN calls no instrumentation, INSTRUMENTED ones do, and no two
objects define the same global or weak symbol (the linker would keep one of them for both flavours)."""

import subprocess
import sys


def symbols(nm, path):
    """(defined global or weak symbols, undefined symbols)"""
    defined, undefined = set(), set()
    text = subprocess.run([nm, "--extern-only", path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        kind, name = line.split()[-2:]
        (undefined if kind in "Uvw" else defined).add(name)
    return defined, undefined


def main(nm, plain, *instrumented):
    tables = {path: symbols(nm, path) for path in (plain, *instrumented)}
    wrong = []
    for path, (defined, undefined) in tables.items():
        calls = sorted(name for name in undefined if name.startswith("__tsan_"))
        if path == plain and calls:
            wrong.append(f"{path} calls instrumentation: {', '.join(calls)}")
        if path != plain and not {"__tsan_read4", "__tsan_write4"} <= set(calls):
            wrong.append(f"{path} is not instrumented")
        if len(defined) != 1 or "register_all" not in next(iter(defined)):
            wrong.append(f"{path} must define register_all alone, defines {', '.join(sorted(defined))}")
        for other, (theirs, _) in tables.items():
            if other < path and defined & theirs:
                wrong.append(f"{path} and {other} both define {', '.join(sorted(defined & theirs))}")
    print("\n".join(wrong) if wrong else f"{len(tables)} flavours share no symbol")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
