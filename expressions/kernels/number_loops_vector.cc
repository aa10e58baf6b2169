// Compiled once for each set of vector instructions; TIDEMILL_NUMBER_LOOPS names the function.
#include "expressions/kernels/number_loops.h"

namespace tidemill::expressions {

#ifdef TIDEMILL_NUMBER_LOOPS
const NumberLoops& TIDEMILL_NUMBER_LOOPS() {
  static constexpr NumberLoops kLoops = MakeNumberLoops();
  return kLoops;
}
#endif

}  // namespace tidemill::expressions
