#include "trainer_server/downsampling/choose.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "subsets/sampling.h"
#include "trainer_server/downsampling/gradient_coresets.h"

namespace tidemill::trainer_server {
namespace {

subsets::DrawMethod MethodOf(models::ScoreSampling sampling) {
  switch (sampling) {
    case models::ScoreSampling::kPoisson:
      return subsets::DrawMethod::kPoisson;
    case models::ScoreSampling::kSystematic:
      return subsets::DrawMethod::kSystematic;
    case models::ScoreSampling::kPriority:
      break;
  }
  return subsets::DrawMethod::kPriority;
}

// Of the best scores, in which direction; margins and greatest probabilities are the better the
// smaller.
template <typename Method>
constexpr subsets::Best kBest =
    std::is_same_v<Method, models::LeastConfidence> || std::is_same_v<Method, models::Margin>
        ? subsets::Best::kSmallest
        : subsets::Best::kGreatest;

// The choice among a group of rows of `seen`.
subsets::Choice ChooseRows(const models::DownsamplingSpec& method, const Seen& seen,
                           std::span<const int64_t> rows, int64_t k, const RandomKey& random) {
  std::vector<double> scores;
  std::vector<int64_t> ids;
  for (const int64_t row : rows) {
    scores.push_back(seen.scores[static_cast<size_t>(row)]);
    ids.push_back(seen.ordinals[static_cast<size_t>(row)]);
  }
  subsets::Choice choice = std::visit(
      [&]<typename Method>(const Method& one) -> subsets::Choice {
        if constexpr (std::is_base_of_v<models::Drawn, Method>) {
          return subsets::DrawByScore(MethodOf(one.sampling), scores, k, random, one.smoothing,
                                      ids);
        } else {
          return subsets::TopK(scores, k, kBest<Method>);
        }
      },
      method);
  for (int64_t& row : choice.rows) row = rows[static_cast<size_t>(row)];
  return choice;
}

bool IsBalanced(const models::DownsamplingSpec& method) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.balance; }) {
          return one.balance;
        } else {
          return false;
        }
      },
      method);
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

int64_t NumKept(double fraction, int64_t count) {
  // A product that misses a whole number by its rounding is one.
  const auto kept = static_cast<int64_t>(fraction * static_cast<double>(count) + 1e-9);
  return std::min(count, std::max<int64_t>(kept, 1));
}

std::vector<int64_t> ShareOut(std::span<const int64_t> counts, int64_t k) {
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  const bool one_each = k >= std::ranges::count_if(counts, [](int64_t count) { return count > 0; });
  int64_t left = std::min(k, total);
  const auto wanted = static_cast<double>(left);
  std::vector<int64_t> shares;
  std::vector<std::pair<double, size_t>> rests;  // The greatest rest first, then the first group.
  for (size_t i = 0; i < counts.size(); ++i) {
    const double exact =
        counts[i] == 0 ? 0 : wanted * static_cast<double>(counts[i]) / static_cast<double>(total);
    shares.push_back(std::min(counts[i], static_cast<int64_t>(exact)));
    if (one_each && counts[i] > 0) shares.back() = std::max<int64_t>(shares.back(), 1);
    left -= shares.back();
    rests.emplace_back(static_cast<double>(shares.back()) - exact, i);
  }
  std::sort(rests.begin(), rests.end());
  for (size_t next = 0; left > 0; next = (next + 1) % rests.size()) {
    const size_t group = rests[next].second;
    if (shares[group] == counts[group]) continue;
    ++shares[group];
    --left;
  }
  // Those that would have had none take from the greatest.
  for (; left < 0; ++left) --*std::ranges::max_element(shares);
  return shares;
}

absl::StatusOr<Choice> Choose(const models::DownsamplingSpec& method, const Seen& seen, int64_t k,
                              const RandomKey& random) {
  const auto groups = GroupsOf(seen, IsBalanced(method));
  std::vector<int64_t> counts;
  for (const auto& rows : groups) counts.push_back(std::ssize(rows));
  const int64_t judged = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (judged == 0 && seen.size() > 0) {
    return FailedPrecondition(
        "downsampling cannot choose: of {} samples none has a finite score; a lower learning rate "
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
    const subsets::Choice part = seen.scores.empty()
                                     ? ChooseByGradients(method, seen, groups[i], shares[i], random)
                                     : ChooseRows(method, seen, groups[i], shares[i], random);
    is_weighted |= !part.weights.empty();
    Append(part, FactorOf(part, counts[i], judged, chosen), choice);
  }
  // Of draws of no fixed size, the mean over what was drawn is to be that over all.
  if (groups.size() > 1 && is_weighted) {
    const double drawn = static_cast<double>(choice.rows.size()) / chosen;
    for (double& weight : choice.weights) weight *= drawn;
  }
  return Choice{.subset = SubsetOf(choice, seen), .num_not_finite = seen.size() - judged};
}

}  // namespace tidemill::trainer_server
