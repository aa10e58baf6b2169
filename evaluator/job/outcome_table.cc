#include "evaluator/job/outcome_table.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "evaluator/measures/ranks.h"

namespace tidemill::evaluator {
namespace {

constexpr int64_t kMinSamples = 1000;

uint64_t PlaceOf(int64_t key) { return RandomBits({.purpose = "outcomes"}, key); }

template <typename T>
void AppendFrom(std::span<const T> column, size_t row, std::vector<T>& to) {
  if (!column.empty()) to.push_back(column[row]);
}

template <typename T>
std::vector<T> Picked(const std::vector<T>& column, std::span<const int32_t> rows) {
  std::vector<T> picked;
  if (column.empty()) return picked;
  picked.reserve(rows.size());
  for (const int32_t row : rows) picked.push_back(column[static_cast<size_t>(row)]);
  return picked;
}

}  // namespace

void OutcomeTable::Add(const OutcomeBlock& block) {
  const size_t num_rows = block.keys.size();
  if (num_rows == 0) return;
  scores_.resize(block.scores.size() / num_rows);
  slices_.resize(block.slices.size());
  MatchContributions(block.outcomes.contributions);
  num_added_ += static_cast<int64_t>(num_rows);
  for (size_t row = 0; row < num_rows; ++row) {
    if (limit_ != ~uint64_t{0} && PlaceOf(block.keys[row]) > limit_) continue;
    Append(block, row);
  }
  while (IsOverBudget()) Thin();
}

void OutcomeTable::MatchContributions(std::span<const Contributions> of_block) {
  if (num_added_ == 0) {
    for (const Contributions& own : of_block) {
      contributed_.push_back({.measure = std::string(own.measure), .width = own.width});
    }
  }
  std::erase_if(contributed_, [&](const Contributed& column) {
    return std::ranges::none_of(of_block, [&](const Contributions& own) {
      return own.measure == column.measure && own.width == column.width;
    });
  });
}

void OutcomeTable::Append(const OutcomeBlock& block, size_t row) {
  const Outcomes& outcomes = block.outcomes;
  keys_.push_back(block.keys[row]);
  AppendFrom(block.times, row, times_);
  AppendFrom(outcomes.predicted_classes, row, predicted_classes_);
  AppendFrom(outcomes.true_classes, row, true_classes_);
  AppendFrom(outcomes.predicted_values, row, predicted_values_);
  AppendFrom(outcomes.true_values, row, true_values_);
  AppendFrom(outcomes.true_probabilities, row, true_probabilities_);
  AppendFrom(outcomes.top_probabilities, row, top_probabilities_);
  AppendFrom(outcomes.true_places, row, true_places_);
  for (Contributed& column : contributed_) {
    const Contributions* const own = outcomes.ContributionsTo(column.measure);
    const auto numbers = own->numbers.subspan(row * column.width, column.width);
    column.numbers.insert(column.numbers.end(), numbers.begin(), numbers.end());
  }
  const size_t num_rows = block.keys.size();
  for (size_t column = 0; column < scores_.size(); ++column) {
    scores_[column].push_back(block.scores[column * num_rows + row]);
  }
  for (size_t column = 0; column < slices_.size(); ++column) {
    slices_[column].push_back(block.slices[column][row]);
  }
}

bool OutcomeTable::IsOverBudget() const {
  int64_t bytes_each = static_cast<int64_t>(sizeof(int64_t));
  if (!times_.empty()) bytes_each += static_cast<int64_t>(sizeof(int64_t));
  if (!true_classes_.empty()) bytes_each += 2 * static_cast<int64_t>(sizeof(int64_t));
  if (!true_values_.empty()) bytes_each += 2 * static_cast<int64_t>(sizeof(float));
  if (!true_places_.empty()) bytes_each += 3 * static_cast<int64_t>(sizeof(float));
  bytes_each += static_cast<int64_t>(scores_.size() * (sizeof(float) + sizeof(int32_t)));
  bytes_each += static_cast<int64_t>(slices_.size() * sizeof(int32_t));
  for (const Contributed& column : contributed_) {
    bytes_each += static_cast<int64_t>(column.width * sizeof(double));
  }
  return num_kept() > std::max(kMinSamples, max_bytes_ / bytes_each);
}

void OutcomeTable::Thin() {
  limit_ /= 2;
  std::vector<int32_t> rows;
  for (size_t row = 0; row < keys_.size(); ++row) {
    if (PlaceOf(keys_[row]) <= limit_) rows.push_back(static_cast<int32_t>(row));
  }
  OutcomeTable kept = Pick(rows);
  kept.limit_ = limit_;
  kept.num_added_ = num_added_;
  *this = std::move(kept);
}

void OutcomeTable::Seal() {
  contributions_.clear();
  for (const Contributed& column : contributed_) {
    contributions_.push_back(
        {.measure = column.measure, .numbers = column.numbers, .width = column.width});
  }
  ranks_.clear();
  num_ranks_ = 0;
  for (std::vector<float>& column : scores_) {
    const std::vector<int32_t> ranks = DenseRanks(column);
    for (const int32_t rank : ranks) num_ranks_ = std::max<int64_t>(num_ranks_, rank + 1);
    ranks_.insert(ranks_.end(), ranks.begin(), ranks.end());
  }
}

Outcomes OutcomeTable::outcomes() const {
  return {.predicted_classes = predicted_classes_,
          .true_classes = true_classes_,
          .predicted_values = predicted_values_,
          .true_values = true_values_,
          .true_probabilities = true_probabilities_,
          .top_probabilities = top_probabilities_,
          .true_places = true_places_,
          .contributions = contributions_,
          .ranks = ranks_,
          .num_ranks = num_ranks_};
}

OutcomeTable OutcomeTable::Pick(std::span<const int32_t> rows) const {
  OutcomeTable table(max_bytes_);
  table.num_added_ = static_cast<int64_t>(rows.size());
  table.keys_ = Picked(keys_, rows);
  table.times_ = Picked(times_, rows);
  table.predicted_classes_ = Picked(predicted_classes_, rows);
  table.true_classes_ = Picked(true_classes_, rows);
  table.predicted_values_ = Picked(predicted_values_, rows);
  table.true_values_ = Picked(true_values_, rows);
  table.true_probabilities_ = Picked(true_probabilities_, rows);
  table.top_probabilities_ = Picked(top_probabilities_, rows);
  table.true_places_ = Picked(true_places_, rows);
  for (const Contributed& column : contributed_) {
    Contributed& own = table.contributed_.emplace_back(
        Contributed{.measure = column.measure, .width = column.width});
    own.numbers.reserve(rows.size() * column.width);
    for (const int32_t row : rows) {
      const auto numbers =
          std::span(column.numbers).subspan(static_cast<size_t>(row) * column.width, column.width);
      own.numbers.insert(own.numbers.end(), numbers.begin(), numbers.end());
    }
  }
  for (const auto& column : scores_) table.scores_.push_back(Picked(column, rows));
  for (const auto& column : slices_) table.slices_.push_back(Picked(column, rows));
  return table;
}

OutcomeTable OutcomeTable::Select(std::span<const int32_t> rows) const {
  OutcomeTable table = Pick(rows);
  table.Seal();
  return table;
}

}  // namespace tidemill::evaluator
