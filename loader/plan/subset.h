// Visits some samples of a training set instead of all.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::loader {

// The visited ordinals, ascending, and factors of their weights in the set. There are as many
// factors as ordinals, or none, which means 1 each.
struct Subset {
  std::vector<int64_t> ordinals = {};
  std::vector<float> weights = {};

  int64_t size() const { return static_cast<int64_t>(ordinals.size()); }
  friend bool operator==(const Subset&, const Subset&) = default;
};

// Draws new samples for each epoch, uniformly. No sample occurs twice in an epoch. A pure function
// of the plan's random stream and the epoch.
struct RepeatedDraw {
  // The number of samples of an epoch.
  int64_t samples = 1;
  // Whether each epoch draws from all samples. Otherwise epochs walk through a permutation. The
  // next permutation is drawn when fewer than `samples` are left of it.
  bool replacement = false;
};

}  // namespace tidemill::loader
