// The loops of numbers that a processor does several at a time. They are compiled once for each set
// of instructions; the results are the same to the last bit.
#pragma once

#include "expressions/program.h"

namespace tidemill::expressions {

struct NumberLoops {
  // By Arithmetic::kAdd to kDivide, and by whether the second operand is constant.
  Step::Kernel arithmetic[4][2];
  Step::Kernel absolute;
  Step::Kernel root;
  Step::Kernel negate;
  Step::Kernel from_float;
  Step::Kernel finite;
};

// For every processor of the kind that the program is compiled for.
const NumberLoops& PlainNumberLoops();
#ifdef TIDEMILL_AVX2_LOOPS
// For processors with AVX2.
const NumberLoops& Avx2NumberLoops();
#endif

}  // namespace tidemill::expressions
