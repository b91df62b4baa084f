#!/usr/bin/env bash
# test.sh quick: the everyday tests (`make test`). test.sh all: those of CUDA compilation, the
# sanitizers, clang++ and the slow label (`make test-all`). Ends with a table of where the time went.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
times=()

step() {  # step NAME command...
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@"
  times+=("$(printf '%-34s %5d s' "$name" $((SECONDS - start)))")
}

table() {
  echo "== where the time went"
  [ ${#times[@]} -eq 0 ] || printf '%s\n' "${times[@]}"
}
trap table EXIT

build() {  # build PRESET [targets...]
  local preset=$1
  shift
  cmake --preset "$preset" -DWARPMARK_TESTS=ON > /dev/null
  cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"}
}

run_label() {  # run_label PRESET LABELS
  ctest --test-dir "build/$1" -L "$2" -j "$jobs" --output-on-failure --no-tests=error
}

without_nvcc() {  # configures with nvcc hidden from PATH: everything but CUDA must work
  local path
  path=$(tr ':' '\n' <<< "$PATH" | while read -r d; do [ -x "$d/nvcc" ] || echo "$d"; done | paste -sd:)
  env -u CUDACXX -u CUDA_HOME -u CUDA_PATH PATH="$path" cmake -S . -B build/no-nvcc -G Ninja \
    -DWARPMARK_CUDA=ON -DWARPMARK_TESTS=OFF > build/no-nvcc.log
  grep -i 'nvcc' build/no-nvcc.log
  env PATH="$path" cmake --build build/no-nvcc -j "$jobs" --target warpmark
  build/no-nvcc/warpmark list devices
  build/no-nvcc/warpmark run --case 'matmul m=8 n=8 k=8 recipe=exact' --out build/no-nvcc/out --force > /dev/null
}

fuzz() {  # a minute each; a finding is left in build/fuzz
  local found=build/fuzz/findings name
  mkdir -p "$found" build/fuzz/corpus-case build/fuzz/corpus-sweep
  cmake --preset fuzz > /dev/null
  cmake --build build/fuzz -j "$jobs" --target fuzz_case_string fuzz_sweep
  build/fuzz/tests/fuzz/fuzz_case_string -max_total_time="${FUZZ_SECONDS:-60}" -artifact_prefix="$found/" \
    -verbosity=0 -print_final_stats=1 -max_len=400 build/fuzz/corpus-case tests/fuzz/corpus/case &
  local first=$!
  build/fuzz/tests/fuzz/fuzz_sweep -max_total_time="${FUZZ_SECONDS:-60}" -artifact_prefix="$found/" \
    -verbosity=0 -print_final_stats=1 -max_len=4096 build/fuzz/corpus-sweep tests/fuzz/corpus/sweep
  wait "$first"
}

quick() {
  step 'build (dev)' build dev
  for label in unit kernels race cli; do step "tests: $label" run_label dev "^$label\$"; done
}

all() {
  scripts/bootstrap.sh --all
  step 'format' scripts/format.sh --check
  step 'build (dev)' build dev
  step 'tests: slow' run_label dev '^slow$'
  step 'build without nvcc' without_nvcc
  if command -v nvcc > /dev/null; then
    step 'build (ci, CUDA)' build ci warpmark
    step 'CUDA binary starts' build/ci/warpmark list devices
    step 'CUDA: compile time, spills' python3 tests/lint/cuda_build.py build/ci
  else
    echo "skipped: CUDA compilation (no nvcc in PATH)"
  fi
  step 'build (clang)' build clang
  step 'tests (clang)' run_label clang '^(unit|kernels)$'
  step 'fuzzers' fuzz
  step 'equal bits over builds' scripts/digest_matrix.sh
  step 'build (asan)' build asan
  step 'tests (asan)' run_label asan asan
}

case "${1:-}" in
  quick) quick ;;
  all) all ;;
  *) echo "test.sh: say 'quick' or 'all'" >&2; exit 2 ;;
esac
