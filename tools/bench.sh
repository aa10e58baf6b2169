#!/usr/bin/env bash
# Runs the benchmarks of a build folder ($1), or those whose name begins with $2, and writes
# benchmarks/results/latest.json.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
name=${2:-}
lines=()
for program in "$build"/bin/"$name"*_bench; do
  [ -x "$program" ] || { echo "no benchmark is called $name" >&2; exit 1; }
  while IFS= read -r line; do lines+=("$line"); done < <("$program")
done
mkdir -p benchmarks/results
(IFS=,; printf '[%s]\n' "${lines[*]}") | python3 -m json.tool >benchmarks/results/latest.json
