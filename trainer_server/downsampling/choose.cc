#include "trainer_server/downsampling/choose.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace tidemill::trainer_server {
namespace {

// Whether all numbers of a row are finite.
bool HasFiniteGradient(const Seen& seen, int64_t row) {
  const auto is_finite = [](float number) { return std::isfinite(number); };
  return std::ranges::all_of(seen.Gradient(row), is_finite) &&
         std::ranges::all_of(seen.Embedding(row), is_finite);
}

// Adds the choice of a group; `factor` makes its weights those of a part of a whole.
void Append(const subsets::Choice& part, double factor, subsets::Choice& whole) {
  for (size_t i = 0; i < part.rows.size(); ++i) {
    whole.rows.push_back(part.rows[i]);
    whole.weights.push_back((part.weights.empty() ? 1 : part.weights[i]) * factor);
  }
}

// Groups of rows: one for each class, or one of all. Rows without a finite score are in none.
std::vector<std::vector<int64_t>> GroupsOf(const Seen& seen, bool balanced) {
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t row = 0; row < seen.size(); ++row) {
    const auto at = static_cast<size_t>(row);
    if (!seen.scores.empty() && !std::isfinite(seen.scores[at])) continue;
    if (seen.scores.empty() && !HasFiniteGradient(seen, row)) continue;
    groups[balanced ? seen.classes[at] : 0].push_back(row);
  }
  std::vector<std::vector<int64_t>> listed;
  for (auto& [name, rows] : groups) listed.push_back(std::move(rows));
  return listed;
}

// By what the weights of a group's choice are multiplied when it becomes part of a whole. Ranks
// weigh 1 whatever the groups are.
double FactorOf(const subsets::Choice& part, int64_t count, int64_t judged, double chosen) {
  if (part.weights.empty() || part.rows.empty() || count == judged) return 1;
  return static_cast<double>(count) / static_cast<double>(judged) * chosen /
         static_cast<double>(part.rows.size());
}

// Ascending by ordinal, so that an order of the set is an order of the choice.
loader::Subset SubsetOf(const subsets::Choice& choice, const Seen& seen) {
  std::vector<size_t> order(choice.rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto ordinal = [&](size_t i) { return seen.ordinals[static_cast<size_t>(choice.rows[i])]; };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return ordinal(a) < ordinal(b); });
  const bool is_weighted = std::any_of(choice.weights.begin(), choice.weights.end(),
                                       [](double weight) { return weight != 1; });
  loader::Subset subset;
  for (const size_t i : order) {
    subset.ordinals.push_back(ordinal(i));
    if (is_weighted) subset.weights.push_back(static_cast<float>(choice.weights[i]));
  }
  return subset;
}

}  // namespace

absl::StatusOr<Choice> Choose(const JudgingMethod& method, const Seen& seen, int64_t k,
                              const RandomKey& random) {
  const auto groups = GroupsOf(seen, method.judging().question.classes);
  std::vector<int64_t> counts;
  for (const auto& rows : groups) counts.push_back(std::ssize(rows));
  const int64_t judged = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (judged == 0 && seen.size() > 0) {
    return FailedPrecondition(
        "downsampling cannot choose: none of {} samples has a finite score; a lower learning rate "
        "or standardised inputs may help",
        seen.size());
  }
  const std::vector<int64_t> shares = ShareOut(counts, k);
  const auto chosen =
      static_cast<double>(std::accumulate(shares.begin(), shares.end(), int64_t{0}));
  subsets::Choice choice;
  bool is_weighted = false;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (shares[i] == 0) continue;
    const subsets::Choice part = method.ChooseRows(seen, groups[i], shares[i], random);
    is_weighted |= !part.weights.empty();
    Append(part, FactorOf(part, counts[i], judged, chosen), choice);
  }
  // In draws without a fixed size, the mean over the drawn samples must be that over all.
  if (groups.size() > 1 && is_weighted) {
    const double drawn = static_cast<double>(choice.rows.size()) / chosen;
    for (double& weight : choice.weights) weight *= drawn;
  }
  return Choice{.subset = SubsetOf(choice, seen), .num_not_finite = seen.size() - judged};
}

}  // namespace tidemill::trainer_server
