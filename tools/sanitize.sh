#!/usr/bin/env bash
# Builds all that needs no torch with AddressSanitizer, ThreadSanitizer and clang's thread-safety
# analysis, and runs the tests of the first two. Arguments: which of asan, tsan, clang (all).
set -euo pipefail
cd "$(dirname "$0")/.."
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
# die_after_fork: tests fork a child with threads and kill it.
export TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp halt_on_error=1 die_after_fork=0"
export ASAN_OPTIONS="detect_leaks=1 halt_on_error=1" UBSAN_OPTIONS="halt_on_error=1 print_stacktrace=1"
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp"
for kind in "${@:-asan tsan clang}"; do
  for preset in $kind; do
    printf '== %s\n' "$preset"
    cmake --preset "$preset" "${launcher[@]}" >/dev/null
    cmake --build --preset "$preset" --parallel "$(nproc)"
    [ "$preset" = clang ] || ctest --test-dir "build/$preset" --output-on-failure
  done
done
