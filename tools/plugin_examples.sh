#!/usr/bin/env bash
# Verifies each example of plugin/examples and prints a line for it. $1: the build folder.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
tidemill=$PWD/${1:-build}/bin/tidemill
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
for source in plugin/examples/*; do
  name=$(basename "${source%.*}")
  class=$(sed 's/_\([a-z]\)/\U\1/g; s/^./\U&/' <<<"$name")
  file=$PWD/$source
  if [[ $source == *.cpp ]]; then
    file=$scratch/$name.so
    "${CXX:-g++}" -std=c++20 -O2 -shared -fPIC -I plugin/include "$source" -o "$file" || { failed=1; continue; }
  fi
  if said=$("$tidemill" plugin verify "$file:$class" 2>&1); then
    printf 'kept    %-28s %s\n' "$source" "$(head -1 <<<"$said" | cut -d: -f3-)"
  else
    printf 'BROKEN  %s\n%s\n' "$source" "$said"
    failed=1
  fi
done
exit $failed
