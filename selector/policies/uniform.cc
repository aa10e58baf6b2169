#include <algorithm>
#include <cmath>
#include <utility>

#include "selector/policies/policies.h"

namespace tidemill::selector {
namespace {

int64_t NumDrawn(const Uniform& spec, int64_t available) {
  if (available == 0) return 0;
  if (spec.samples) return std::min(*spec.samples, available);
  const int64_t share = std::llround(*spec.fraction * static_cast<double>(available));
  return std::clamp(share, int64_t{1}, available);
}

}  // namespace

// Bottom-k: every key has a hash that depends on nothing but the stream's name and the key; the k
// smallest are drawn. Ties go to the smaller key.
Choice Choose(const Uniform& spec, const Candidates& candidates, const RandomKey& random) {
  const auto available = static_cast<int64_t>(candidates.keys.size());
  const int64_t drawn = NumDrawn(spec, available);
  Choice choice;
  if (drawn == 0) return choice;

  std::vector<std::pair<uint64_t, int64_t>> lots(candidates.keys.size());
  for (size_t row = 0; row < lots.size(); ++row) {
    lots[row] = {RandomBits(random, candidates.keys[row]), static_cast<int64_t>(row)};
  }
  const auto key_of = [&](int64_t row) { return candidates.keys[static_cast<size_t>(row)]; };
  std::nth_element(lots.begin(), lots.begin() + (drawn - 1), lots.end(),
                   [&](const auto& a, const auto& b) {
                     if (a.first != b.first) return a.first < b.first;
                     return key_of(a.second) < key_of(b.second);
                   });
  choice.rows.reserve(static_cast<size_t>(drawn));
  for (int64_t i = 0; i < drawn; ++i) choice.rows.push_back(lots[static_cast<size_t>(i)].second);
  std::sort(choice.rows.begin(), choice.rows.end());
  if (spec.weights == Weighting::kInverseProbability && drawn < available) {
    const double weight = static_cast<double>(available) / static_cast<double>(drawn);
    choice.weights.assign(choice.rows.size(), static_cast<float>(weight));
  }
  return choice;
}

}  // namespace tidemill::selector
