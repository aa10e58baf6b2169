#include "trainer_server/training/pace/early_stopping.h"

#include <cmath>

namespace tidemill::trainer_server {

bool Observe(const models::EarlyStopping& spec, double loss, StoppingState& state) {
  if (std::isfinite(loss) && loss < state.best - spec.min_delta) {
    state.best = loss;
    state.num_worse = 0;
    return true;
  }
  if (++state.num_worse >= spec.patience) state.stopped = true;
  return false;
}

}  // namespace tidemill::trainer_server
