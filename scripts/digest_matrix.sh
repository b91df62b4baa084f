#!/usr/bin/env bash
# digest_matrix.sh [ROW...]: builds the emulator with other compilers, optimisation levels and instruction
# sets, runs the sweeps of tests/equal_bits on each and compares with the golden digests committed there.
# Prints a table; exit 1 when any row differs, each case named. A row this machine cannot run is
# skipped with the reason.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
table=()
bad=0

build() {  # build FOLDER cmake-options...
  local folder=$1
  shift
  # A configured folder of `make test-all` serves as it is.
  [ -f "$folder/build.ninja" ] || cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWARPMARK_TESTS=OFF \
    "$@" > "$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
  cmake --build "$folder" -j "$jobs" --target warpmark > "$folder.log" 2>&1 || { tail -30 "$folder.log"; return 1; }
}

check() {  # check FOLDER program-to-run-with filter
  local sweep result=0
  for sweep in quick:configs/quick.json specials:tests/equal_bits/specials.json; do
    # The program is several words.
    # shellcheck disable=SC2086
    $2 "$1/warpmark" run "${sweep#*:}" --device emu --stages determinism --repeats 1 --filter "$3" --no-progress \
      --format csv --out "$1/digests" --force --check-golden "tests/equal_bits/${sweep%%:*}.digests" \
      > /dev/null || result=1
  done
  return $result
}

row() {  # row NAME FOLDER reason-to-skip program filter cmake-options...
  local name=$1 folder=$2 skip=$3 program=$4 filter=$5 start=$SECONDS verdict
  shift 5
  if [ -n "$skip" ]; then
    table+=("$(printf '%-44s skipped: %s' "$name" "$skip")")
    return
  fi
  echo "== $name"
  mkdir -p "$(dirname "$folder")"
  verdict=equal
  if ! build "$folder" "$@"; then
    verdict='build failed'
  elif ! check "$folder" "$program" "$filter"; then
    verdict=DIFFERS
  fi
  [ "$verdict" = equal ] || bad=1
  table+=("$(printf '%-44s %s (%d s)' "$name" "$verdict" $((SECONDS - start)))")
}

without() {  # names the first of the programs that is missing
  local program
  for program in "$@"; do
    command -v "$program" > /dev/null || { echo "no $program"; return; }
  done
}

without_avx512() {
  local flag
  for flag in avx512f avx512bw avx512cd avx512dq avx512vl; do
    grep -qw "$flag" /proc/cpuinfo || { echo "the CPU lacks $flag"; return; }
  done
}

arm64=$PWD/build/matrix/arm64
prepare_arm64() {  # prints why there can be no aarch64 row
  local missing
  missing=$(without aarch64-linux-gnu-g++ qemu-aarch64 dpkg-deb apt-get)
  [ -z "$missing" ] || { echo "$missing"; return; }
  scripts/arm64_sysroot.sh "$arm64" > /dev/null 2>&1 || echo "the arm64 libraries could not be fetched"
}

gcc_rows() {
  row 'g++, kernels -O3, AVX2' build/dev '' '' ''
  row 'g++, kernels -O2, AVX2' build/matrix/gcc-O2 '' '' '' -DWARPMARK_KERNEL_OPTIMISATION=-O2
}
clang_rows() {
  local skip
  skip=$(without clang++)
  row 'clang++, kernels -O3, AVX2' build/clang "$skip" '' '' -DCMAKE_CXX_COMPILER=clang++
  row 'clang++, kernels -O2, AVX2' build/matrix/clang-O2 "$skip" '' '' -DCMAKE_CXX_COMPILER=clang++ \
    -DWARPMARK_KERNEL_OPTIMISATION=-O2
}
avx512_rows() {
  row 'g++, kernels -O3, AVX-512' build/matrix/gcc-v4 "$(without_avx512)" '' '' -DWARPMARK_MARCH=x86-64-v4
}
aarch64_rows() {
  row 'g++ for aarch64, kernels -O3, under qemu' build/matrix/aarch64 "$(prepare_arm64)" \
    'qemu-aarch64 -L /usr/aarch64-linux-gnu' '' -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" \
    -DWARPMARK_SYSROOT="$arm64"
}

for rows in "${@:-gcc clang avx512 aarch64}"; do
  for each in $rows; do
    case "$each" in
      gcc | clang | avx512 | aarch64) "${each}_rows" ;;
      *) echo "digest_matrix.sh: unknown row '$each' (allowed: gcc, clang, avx512, aarch64)" >&2; exit 2 ;;
    esac
  done
done
echo "== digests of configs/quick.json and tests/equal_bits/specials.json over builds"
printf '%s\n' "${table[@]}"
exit $bad
