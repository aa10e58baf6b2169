#!/usr/bin/env bash
# Runs fuzz targets, each for a time, and fails when one finds something.
#   tools/fuzz.sh [-j PROGRAMS] SECONDS [NAME...]     e.g. tools/fuzz.sh 300 csv tar
# Without names all targets of tests/fuzz/ run. `ops` stands for every op of graphs, `ops:clip` for
# one of them. Findings are in build/fuzz/found/<name>, the inputs that reach new code in build/fuzz/corpus/<name>,
# where the next run continues.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
while getopts j: option; do
  case $option in
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
seconds=${1:?how many seconds for each target?}
shift

build=build/fuzz
mkdir -p build
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake --preset fuzz "${launcher[@]}" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in tests/fuzz/*_fuzz.cc; do
    name=$(basename "$file" _fuzz.cc)
    names+=("$name")
  done
fi
runs=()
targets=()
for name in "${names[@]}"; do
  targets+=("fuzz_${name%%:*}")
  if [ "$name" = ops ]; then
    mapfile -t ops < <(sed -n 's/^    {"\([a-z0-9_]*\)",$/\1/p' tests/fuzz/ops_fuzz.cc)
    runs+=("${ops[@]/#/ops:}")
  else
    runs+=("$name")
  fi
done
cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"

run_one() {
  local name=$1 seconds=$2 build=$3
  local program=$build/bin/fuzz_${name%%:*} corpus=$build/corpus/$name found=$build/found/$name
  local log=$build/$name.log status=0
  mkdir -p "$corpus" "$found"
  # Only the program of ops asks which one.
  [ "$name" = "${name#*:}" ] || export TIDEMILL_FUZZ_OP=${name#*:}
  TIDEMILL_FUZZ_SEEDS=$corpus "$program" >/dev/null 2>&1
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
    -artifact_prefix="$found/" -print_final_stats=1 "$corpus" >"$log" 2>&1 || status=$?
  local runs rate
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  if [ "$status" -eq 0 ]; then
    printf '%-16s %12s runs %8s/s  clean\n' "$name" "$runs" "$rate"
  else
    printf '%-16s %12s runs %8s/s  FAILED, see %s and %s\n' "$name" "${runs:-?}" "${rate:-?}" "$log" "$found"
  fi
  return "$status"
}
export -f run_one
export ASAN_OPTIONS="detect_leaks=1" UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1"
# What an earlier run found is kept, but does not count for this one.
if printf '%s\0' "${runs[@]}" | xargs -0 -P "$jobs" -I{} bash -c "run_one {} $seconds $build"; then
  printf 'fuzz: %d targets, %d s each: nothing found\n' "${#runs[@]}" "$seconds"
else
  printf 'fuzz: something was found\n'
  exit 1
fi
