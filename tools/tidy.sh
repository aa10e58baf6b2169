#!/usr/bin/env bash
# Runs clang-tidy with .clang-tidy over sources: those changed since REV, or all. Usage: tidy.sh BUILD [REV]
# A file takes 5 to 30 seconds, the whole tree hours.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
revision=${2:-}
if [ -n "$revision" ]; then
  sources=$(git diff --name-only --diff-filter=AMR "$revision" -- '*.cc')
else
  sources=$(git ls-files '*.cc')
fi
# Fuzz targets are built by a preset of their own.
sources=$(grep -v '^tests/fuzz/' <<<"$sources" || true)
[ -n "$sources" ] || { echo "tidy: no source has changed since $revision"; exit 0; }
# g++'s warnings that clang does not know are no findings.
xargs --max-procs="$(nproc)" --max-args=1 \
  clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option <<<"$sources" 2>/dev/null
echo "tidy: $(wc -l <<<"$sources") sources, no finding"
