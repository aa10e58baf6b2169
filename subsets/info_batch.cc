#include "subsets/info_batch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "subsets/sampling.h"

namespace tidemill::subsets {

Choice LeaveOutWellLearnt(std::span<const float> losses, double prune, const RandomKey& random) {
  double sum = 0;
  int64_t count = 0;
  for (const float loss : losses) {
    if (!std::isfinite(loss)) continue;
    sum += loss;
    ++count;
  }
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
  const auto is_below = [&](float loss) { return std::isfinite(loss) && loss < mean; };
  std::vector<int64_t> below;
  for (size_t row = 0; row < losses.size(); ++row) {
    if (is_below(losses[row])) below.push_back(static_cast<int64_t>(row));
  }
  const auto num_below = static_cast<double>(std::ssize(below));
  const int64_t num_kept = std::clamp<int64_t>(static_cast<int64_t>((1 - prune) * num_below),
                                               below.empty() ? 0 : 1, std::ssize(below));
  // Drawn by the rows' own numbers, so that a loss elsewhere does not move the draw.
  const auto kept = DrawUniformly(std::ssize(below), num_kept, random, below);
  Choice choice;
  size_t next = 0;
  for (size_t row = 0; row < losses.size(); ++row) {
    const bool below_mean = is_below(losses[row]);
    if (below_mean) {
      const bool stays =
          next < kept.size() && below[static_cast<size_t>(kept[next])] == static_cast<int64_t>(row);
      if (!stays) continue;
      ++next;
    }
    choice.rows.push_back(static_cast<int64_t>(row));
    choice.weights.push_back(below_mean ? num_below / static_cast<double>(num_kept) : 1.0);
  }
  return choice;
}

}  // namespace tidemill::subsets
