#include "evaluator/measures/ranked/ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemill::evaluator {

std::vector<int32_t> DenseRanks(std::span<const float> numbers) {
  const auto less = [&](int32_t a, int32_t b) {
    const float left = numbers[static_cast<size_t>(a)];
    const float right = numbers[static_cast<size_t>(b)];
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && !std::isnan(right);
    return left < right;
  };
  std::vector<int32_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), less);
  std::vector<int32_t> ranks(numbers.size());
  int32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && less(order[i - 1], order[i])) ++rank;
    ranks[static_cast<size_t>(order[i])] = rank;
  }
  return ranks;
}

namespace {

// Calls `take` with the ranks of each class, the class, and the counts of its ranks.
template <typename Take>
void ForEachClass(const Outcomes& outcomes, const Take& take) {
  const size_t num_samples = outcomes.true_classes.size();
  if (num_samples == 0) return;
  const size_t num_columns = outcomes.ranks.size() / num_samples;
  std::vector<RankCount> counts(static_cast<size_t>(outcomes.num_ranks));
  for (size_t column = 0; column < num_columns; ++column) {
    const int64_t positive = num_columns == 1 ? 1 : static_cast<int64_t>(column);
    const auto ranks = outcomes.ranks.subspan(column * num_samples, num_samples);
    std::fill(counts.begin(), counts.end(), RankCount{});
    for (size_t i = 0; i < num_samples; ++i) {
      RankCount& count = counts[static_cast<size_t>(ranks[i])];
      (outcomes.true_classes[i] == positive ? count.positives : count.negatives) +=
          outcomes.Weight(i);
    }
    take(ranks, positive, counts);
  }
}

}  // namespace

std::optional<double> MeanOverClasses(const Outcomes& outcomes, OfRanking of_ranking) {
  double sum = 0;
  int64_t num_defined = 0;
  ForEachClass(outcomes, [&](auto /*ranks*/, int64_t /*positive*/, const auto& counts) {
    const std::optional<double> value = of_ranking(counts);
    if (!value) return;
    sum += *value;
    ++num_defined;
  });
  if (num_defined == 0) return std::nullopt;
  return sum / static_cast<double>(num_defined);
}

std::vector<double> InfluenceOverClasses(const Outcomes& outcomes, InfluenceOfRanking of_ranking) {
  std::vector<double> influence(outcomes.true_classes.size());
  ForEachClass(outcomes, [&](std::span<const int32_t> ranks, int64_t positive, const auto& counts) {
    const std::vector<RankInfluence> of_ranks = of_ranking(counts);
    if (of_ranks.empty()) return;
    for (size_t i = 0; i < influence.size(); ++i) {
      const RankInfluence& own = of_ranks[static_cast<size_t>(ranks[i])];
      influence[i] += outcomes.true_classes[i] == positive ? own.of_positive : own.of_negative;
    }
  });
  return influence;
}

}  // namespace tidemill::evaluator
