// Some samples of a training set instead of all.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::loader {

// Which ordinals are visited, ascending, and by what the weights that the set gives them are
// multiplied: as many, or none for 1 each.
struct Subset {
  std::vector<int64_t> ordinals = {};
  std::vector<float> weights = {};

  int64_t size() const { return static_cast<int64_t>(ordinals.size()); }
  friend bool operator==(const Subset&, const Subset&) = default;
};

// Other samples in each epoch, drawn uniformly; within an epoch none is twice. A pure function of
// the plan's random stream and the epoch.
struct RepeatedDraw {
  // Of an epoch.
  int64_t samples = 1;
  // Each epoch draws from all. Without: epochs walk through a permutation, the next one of which is
  // drawn when fewer than `samples` are left of it.
  bool replacement = false;
};

}  // namespace tidemill::loader
