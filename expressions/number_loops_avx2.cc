#include "expressions/make_number_loops.h"
#include "expressions/number_loops.h"

namespace tidemill::expressions {

#ifdef TIDEMILL_AVX2_LOOPS
const NumberLoops& Avx2NumberLoops() {
  static constexpr NumberLoops kLoops = MakeNumberLoops();
  return kLoops;
}
#endif

}  // namespace tidemill::expressions
