#!/usr/bin/env bash
# arm64_sysroot.sh FOLDER: the libraries an aarch64 cross-build needs, in a folder of their own: nothing
# is installed and the system's package lists stay as they are. Boost.Context and libcrypto are
# fetched from the distribution (arm64), header-only libraries are those of this machine.
set -euo pipefail
root=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$root/complete" ] && exit 0
[ "${NO_INSTALL:-0}" != 1 ] || { echo "arm64_sysroot.sh: NO_INSTALL=1, nothing fetched" >&2; exit 1; }

apt="$root/apt"
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
options=(-qq -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt" -o APT::Architecture=arm64
  -o APT::Architectures=arm64 -o Debug::NoLocking=1 -o APT::Sandbox::User=)
(
  cd "$apt/archives"
  apt-get "${options[@]}" update
  context=$(dpkg-query -W -f='${Depends}' libboost-context-dev | grep -o 'libboost-context[0-9.]*-dev')
  apt-get "${options[@]}" download "$context" libssl-dev > /dev/null
  for package in ./*.deb; do dpkg-deb -x "$package" "$root"; done
)
include="$root/usr/include"
cp "$include/aarch64-linux-gnu/openssl/"* "$include/openssl/"
for name in boost eigen3 CLI nlohmann valijson; do ln -sfn "/usr/include/$name" "$include/$name"; done
mkdir -p "$root/usr/share"
for name in cmake/CLI11 cmake/nlohmann_json eigen3; do
  mkdir -p "$(dirname "$root/usr/share/$name")"
  cp -r "/usr/share/$name" "$root/usr/share/$name"
done
rm -rf "$apt"
touch "$root/complete"
