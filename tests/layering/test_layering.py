"""The include directions of docs/ARCHITECTURE.md, and which third-party headers a folder may see."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2] / "src"

# folder -> project folders it may include
ALLOWED = {
    "core": {"core"},
    "ops": {"ops", "core"},
    "gpu": {"gpu", "core", "emu"},
    "emu": {"emu", "gpu", "core"},
    "registry": {"registry", "gpu", "ops", "core"},
    "kernels": {"kernels", "registry", "gpu", "ops", "core"},
    "reference": {"reference", "ops", "core"},
    "verify": {"verify", "reference", "ops", "core"},
    "determinism": {"determinism", "ops", "core"},
    "tree": {"tree", "ops", "core"},
    "probe": {"probe", "tree", "registry", "emu", "gpu", "ops", "core"},
    "config": {"config", "gpu", "ops", "core"},
    "import": {"import", "config", "ops", "core"},
    "runner": {"runner", "config", "verify", "determinism", "tree", "probe", "reference", "registry", "gpu", "ops", "core"},
    "selfcheck": {"selfcheck", "runner", "config", "verify", "determinism", "reference", "registry", "gpu", "ops", "core"},
    "report": {"report", "core"},
    "compare": {"compare", "config", "report", "core"},
    "cli": {"cli", "runner", "selfcheck", "tree", "probe", "determinism", "compare", "report", "import", "config", "registry", "gpu", "ops", "core"},
}
THIRD_PARTY = {
    "nlohmann/": {"config", "import", "runner", "report", "compare", "cli"},
    "CLI/": {"cli"},
    "valijson/": {"config"},
    "Eigen/": {"reference"},
    "boost/": {"emu"},
    "openssl/": {"core"},
    "gtest/": set(),
    "cuda": {"gpu"},
}
KERNEL_STD = {"algorithm", "array", "cstddef", "cstdint", "cstdlib", "limits", "string", "string_view", "tuple", "type_traits", "utility", "vector"}
# `#if defined(__CUDACC__)` guards the NVIDIA headers of gpu/.
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def problems():
    for path in sorted(ROOT.rglob("*")):
        if path.suffix not in {".cpp", ".hpp", ".cu", ".cuh"}:
            continue
        folder = path.relative_to(ROOT).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            place = f"{path.relative_to(ROOT.parent)}:{number}"
            quote, name = match.groups()
            target = name.split("/")[0]
            if quote == '"' and target in ALLOWED and target not in ALLOWED[folder]:
                yield f"{place}: {folder} must not include {name}"
            for prefix, folders in THIRD_PARTY.items():
                if quote == "<" and name.startswith(prefix) and folder not in folders:
                    yield f"{place}: {folder} must not see {name}"
            if folder == "kernels" and quote == "<" and name not in KERNEL_STD:
                yield f"{place}: a kernel file must not include <{name}>"


found = list(problems())
print("\n".join(found) if found else "include directions hold")
sys.exit(1 if found else 0)
