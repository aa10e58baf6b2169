#!/usr/bin/env bash
# Compiles every file that includes torch against Debian's libtorch 1.13.1, without linking: the
# oldest interface the code keeps to. $1: the build folder, for the commands and generated headers.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
folder=.venv/libtorch-1.13
if [ ! -e "$folder/complete" ]; then
  # The headers alone, beside the system: the packages need not be installed.
  rm -rf "$folder" && mkdir -p "$folder/packages"
  chmod 777 "$folder/packages"
  (cd "$folder/packages" && apt-get download -qq libtorch-dev libgflags-dev libgoogle-glog-dev)
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
  touch "$folder/complete"
fi
version=$(cd "$folder/packages" && echo libtorch-dev_*.deb)
python3 tools/compile_against.py "$build/compile_commands.json" "$folder/usr/include" "$version"
