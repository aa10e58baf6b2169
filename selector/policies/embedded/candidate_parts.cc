#include "selector/policies/embedded/candidate_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "subsets/distances.h"
#include "subsets/usable_rows.h"

namespace tidemill::selector {

EmbeddedChoice ChooseAmongUsable(
    const subsets::Rows& rows, const std::function<EmbeddedChoice(const subsets::Rows&)>& choose) {
  const subsets::UsableRows usable(rows);
  EmbeddedChoice chosen;
  if (usable.rows().num_rows > 0) chosen = choose(usable.rows());
  chosen.choice = usable.ToOriginal(std::move(chosen.choice));
  return chosen;
}

std::vector<std::vector<int64_t>> RandomParts(std::span<const int64_t> rows, int64_t num_parts,
                                              const RandomKey& random) {
  const int64_t count = std::ssize(rows);
  std::vector<int64_t> order(rows.size());
  if (count > 0) Permutation(random, count).Range(0, order);
  std::vector<std::vector<int64_t>> parts(static_cast<size_t>(num_parts));
  size_t from = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    const size_t to = rows.size() * (part + 1) / parts.size();
    for (; from < to; ++from) parts[part].push_back(rows[static_cast<size_t>(order[from])]);
    std::sort(parts[part].begin(), parts[part].end());
  }
  return parts;
}

RandomKey OfRound(const RandomKey& random, int64_t round) {
  RandomKey key = random;
  key.epoch = 1 + round;
  return key;
}

std::vector<int64_t> AllRows(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

std::vector<double> WeightsByNearest(const subsets::Rows& rows, std::span<const int64_t> chosen,
                                     WorkerPool* pool) {
  const std::vector<float> values = subsets::Gathered(rows, chosen);
  auto nearest = subsets::FindNearest(rows, {values, std::ssize(chosen), rows.width}, pool).rows;
  for (size_t i = 0; i < chosen.size(); ++i) {
    nearest[static_cast<size_t>(chosen[i])] = static_cast<int64_t>(i);
  }
  std::vector<int64_t> counts(chosen.size(), 0);
  for (const int64_t center : nearest) ++counts[static_cast<size_t>(center)];
  return WeightsByCounts(counts);
}

std::vector<double> WeightsByCounts(std::span<const int64_t> counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  const auto k = static_cast<double>(counts.size());
  std::vector<double> weights;
  weights.reserve(counts.size());
  for (const int64_t count : counts) weights.push_back(static_cast<double>(count) * k / total);
  return weights;
}

}  // namespace tidemill::selector
