#!/usr/bin/env bash
# Formats the C++ and CUDA sources with clang-format 14; --check only reports what would change.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format || true)
[ -n "$tool" ] || { echo "format.sh: clang-format is not installed" >&2; exit 1; }
mapfile -t files < <(git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')
if [ "${1:-}" = --check ]; then
  "$tool" --dry-run --Werror "${files[@]}"
else
  "$tool" -i "${files[@]}"
fi
