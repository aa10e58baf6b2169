#include "trainer_server/training/held_out.h"

#include <cmath>
#include <utility>

#include "base/random.h"

namespace tidemill::trainer_server {

DividedSet HoldOut(const loader::TrainingSet& set, double share, int64_t seed) {
  const RandomKey key{.seed = seed, .purpose = "held_out"};
  DividedSet divided;
  divided.trained.digest = set.digest;
  divided.held_out.digest = set.digest;
  for (size_t i = 0; i < set.keys.size(); ++i) {
    loader::TrainingSet& part =
        RandomUnit(key, set.keys[i]) < share ? divided.held_out : divided.trained;
    part.keys.push_back(set.keys[i]);
    if (!set.weights.empty()) part.weights.push_back(set.weights[i]);
  }
  if (divided.trained.keys.empty()) std::swap(divided.trained, divided.held_out);
  return divided;
}

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
