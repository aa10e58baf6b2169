#include "expressions/number_loops.h"

namespace tidemill::expressions {

#ifdef TIDEMILL_VECTOR_LOOPS
const NumberLoops& Avx2NumberLoops() {
  static constexpr NumberLoops kLoops = MakeNumberLoops();
  return kLoops;
}
#endif

}  // namespace tidemill::expressions
