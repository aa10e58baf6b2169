#!/usr/bin/env bash
# Builds all that needs no torch with AddressSanitizer (and UndefinedBehaviorSanitizer) and with
# ThreadSanitizer, and runs its tests. Arguments: which of asan, tsan (both).
set -euo pipefail
cd "$(dirname "$0")/.."
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# die_after_fork: tests fork a child with threads and kill it.
export TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp halt_on_error=1 die_after_fork=0"
export ASAN_OPTIONS="detect_leaks=1 halt_on_error=1" UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1"
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp"
[ $# -gt 0 ] || set -- asan tsan
for preset in "$@"; do
  printf '== %s\n' "$preset"
  cmake --preset "$preset" "${launcher[@]}" >/dev/null
  cmake --build --preset "$preset" --parallel "$(nproc)"
  ctest --test-dir "build/$preset" --output-on-failure
done
