// TIDEMILL_FOR_EACH_PROCESSOR before a function has it compiled for the widest instructions that
// processors have, where the compiler can choose among them at run time. Results are the same.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TIDEMILL_FOR_EACH_PROCESSOR \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TIDEMILL_FOR_EACH_PROCESSOR
#endif
