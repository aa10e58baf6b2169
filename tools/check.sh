#!/usr/bin/env bash
# The checks a compiler does not make. $1: the build folder.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=${1:-build}
failed=0
run() {
  printf '== %s\n' "$1"
  shift
  "$@" || failed=1
}

formatted() {
  git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
}
# The generated reference is what the programs say today.
reference_is_current() {
  local fresh
  fresh=$(mktemp -d)
  "$build/bin/tidemill-reference" "$fresh" && diff -ru docs/reference "$fresh"
  local status=$?
  rm -rf "$fresh"
  [ $status = 0 ] || echo "docs/reference differs from the programs; run 'make docs'" >&2
  return $status
}

run format formatted
run layers python3 tools/check_layers.py
run kinds python3 tools/check_kinds.py
run protos python3 tools/check_protos.py
run rules python3 tools/check_rules.py
run dead-code python3 tools/check_dead_code.py
run reference reference_is_current
run documents python3 tools/check_docs.py
run prose python3 tools/check_prose.py
run fragments python3 tools/check_fragments.py
run pages /usr/bin/python3 tools/pages --build "$build" --check
run deploy python3 tools/check_deploy.py "$build"
run kubernetes .venv/bin/python tools/kubernetes/check.py "$build"
run compose docker-compose config --quiet
run yaml yamllint --strict --config-file tools/yamllint.yaml docker-compose.yml deploy
run scripts shellcheck --severity=warning tools/*.sh deploy/*.sh deploy/*/*.sh .ci/run
run clang-tidy tools/tidy.py "$build"
run torch-1.13 tools/check_old_torch.sh "$build"
exit $failed
