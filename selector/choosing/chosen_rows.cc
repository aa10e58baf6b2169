#include "selector/choosing/chosen_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemill::selector {
namespace {

constexpr size_t kWrittenAtOnce = 65'536;

// The rows of a choice in the order of the stream. INTERNAL unless each occurs exactly once.
absl::StatusOr<subsets::Choice> InOrder(subsets::Choice choice, int64_t num_rows) {
  const bool weighted = !choice.weights.empty();
  if (weighted && choice.weights.size() != choice.rows.size()) {
    return Internal("{} rows were chosen with {} weights", choice.rows.size(),
                    choice.weights.size());
  }
  std::vector<std::pair<int64_t, double>> entries;
  entries.reserve(choice.rows.size());
  for (size_t i = 0; i < choice.rows.size(); ++i) {
    entries.emplace_back(choice.rows[i], weighted ? choice.weights[i] : 1);
  }
  std::sort(entries.begin(), entries.end());
  int64_t last = -1;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto& [row, weight] = entries[i];
    if (row <= last || row >= num_rows) {
      return Internal("row {} of {} was chosen after row {}", row, num_rows, last);
    }
    last = choice.rows[i] = row;
    if (weighted) choice.weights[i] = weight;
  }
  return choice;
}

}  // namespace

absl::Status WriteChosenRows(subsets::Choice chosen, std::span<const int64_t> keys,
                             TrainingSetWriter& into) {
  ASSIGN_OR_RETURN(const subsets::Choice choice, InOrder(std::move(chosen), std::ssize(keys)));
  RETURN_IF_ERROR(into.Open(!choice.weights.empty()));
  std::vector<int64_t> some;
  for (size_t from = 0; from < choice.rows.size(); from += kWrittenAtOnce) {
    some.clear();
    for (size_t i = from; i < std::min(from + kWrittenAtOnce, choice.rows.size()); ++i) {
      some.push_back(keys[static_cast<size_t>(choice.rows[i])]);
    }
    RETURN_IF_ERROR(into.AddKeys(some));
  }
  const std::vector<float> weights(choice.weights.begin(), choice.weights.end());
  return into.AddWeights(weights);
}

}  // namespace tidemill::selector
