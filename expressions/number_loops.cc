#include "expressions/number_loops.h"

#include "expressions/make_number_loops.h"

namespace tidemill::expressions {

const NumberLoops& PlainNumberLoops() {
  static constexpr NumberLoops kLoops = MakeNumberLoops();
  return kLoops;
}

}  // namespace tidemill::expressions
