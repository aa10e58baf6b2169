#include "loader/held_out.h"

#include <utility>

#include "base/numbers/random.h"

namespace tidemill::loader {

DividedSet HoldOut(const TrainingSet& set, double share, int64_t seed) {
  const RandomKey key{.seed = seed, .purpose = "held_out"};
  DividedSet divided;
  divided.trained.digest = set.digest;
  divided.trained.selected_again = divided.held_out.selected_again = set.selected_again;
  divided.held_out.digest = set.digest;
  for (size_t i = 0; i < set.keys.size(); ++i) {
    TrainingSet& part = RandomUnit(key, set.keys[i]) < share ? divided.held_out : divided.trained;
    part.keys.push_back(set.keys[i]);
    if (!set.weights.empty()) part.weights.push_back(set.weights[i]);
  }
  if (divided.trained.keys.empty()) std::swap(divided.trained, divided.held_out);
  return divided;
}

}  // namespace tidemill::loader
