// Loops over the rows of registers. They have internal linkage, because sources are compiled for
// different processors.
#pragma once

#include "expressions/registers.h"

namespace tidemill::expressions {

// out[i] = function(in[i]).
template <typename From, typename To, auto kFunction>
static void MapRows(const Step& step, Registers& rows) {
  const From* __restrict const in = rows.In<From>(step.from[0]);
  To* __restrict const out = rows.Out<To>(step.into);
  const int64_t size = rows.num_rows();
  for (int64_t i = 0; i < size; ++i) out[i] = kFunction(in[i]);
}

// out[i] = function(a[i], b[i]). With kConstantRight, b[0] stands for all of b.
template <typename From, typename To, auto kFunction, bool kConstantRight = false>
static void MapPairs(const Step& step, Registers& rows) {
  const From* __restrict const a = rows.In<From>(step.from[0]);
  const From* __restrict const b = rows.In<From>(step.from[1]);
  To* __restrict const out = rows.Out<To>(step.into);
  const int64_t size = rows.num_rows();
  if constexpr (kConstantRight) {
    const From right = *b;
    for (int64_t i = 0; i < size; ++i) out[i] = kFunction(a[i], right);
  } else {
    for (int64_t i = 0; i < size; ++i) out[i] = kFunction(a[i], b[i]);
  }
}

}  // namespace tidemill::expressions
