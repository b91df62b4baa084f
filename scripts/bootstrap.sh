#!/usr/bin/env bash
# Installs the distribution packages the build needs (Debian 12, Ubuntu 22.04 and newer), and says
# which first. Does nothing when all are there. NO_INSTALL=1: only check.
#   bootstrap.sh [--bench] [--all]   --bench adds OpenCL, --all adds clang, the sanitizer
#   runtimes, and what builds and runs aarch64 programs
set -euo pipefail

packages=(g++ cmake ninja-build make python3 libboost-context-dev libcli11-dev nlohmann-json3-dev
  libeigen3-dev libssl-dev libvalijson-dev libgtest-dev libmpfr-dev python3-jsonschema)
for option in "$@"; do
  case "$option" in
    --bench) packages+=(pocl-opencl-icd ocl-icd-opencl-dev opencl-headers) ;;
    --all) packages+=(clang clang-format libclang-rt-dev binutils openmpi-bin g++-aarch64-linux-gnu qemu-user) ;;
    *) echo "bootstrap.sh: unknown option '$option' (allowed: --bench, --all)" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "${NO_INSTALL:-0}" = 1 ]; then
  echo "bootstrap.sh: missing packages (NO_INSTALL=1, nothing installed): ${missing[*]}" >&2
  exit 1
fi
command -v apt-get > /dev/null || {
  echo "bootstrap.sh: no apt-get here; install the equivalents of: ${missing[*]}" >&2
  exit 1
}
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
echo "bootstrap.sh: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  "${missing[@]}" > /dev/null
