#include "supervisor/triggers/plain/decision_interval.h"

namespace tidemill::supervisor {

void DecisionInterval::Check(config::Problems& problems) const {
  if (every.has_value() != samples.has_value()) return;
  problems.Add("", every ? "has both `every` and `samples`" : "has neither `every` nor `samples`",
               "write every: 1h or samples: 500");
}

}  // namespace tidemill::supervisor
