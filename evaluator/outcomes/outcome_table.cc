#include "evaluator/outcomes/outcome_table.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/check.h"
#include "base/numbers/random.h"
#include "evaluator/measures/ranked/ranks.h"

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
    if (!IsWithin(block.keys[row], limit_)) continue;
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

int64_t OutcomeTable::BytesEach() const {
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
  return bytes_each;
}

bool OutcomeTable::IsOverBudget() const {
  return num_kept() > std::max(kMinSamples, max_bytes_ / BytesEach());
}

bool OutcomeTable::IsWithin(int64_t key, uint64_t limit) {
  return limit == kNoLimit || PlaceOf(key) <= limit;
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

namespace {

constexpr std::string_view kPredictedClass = "predicted_class";
constexpr std::string_view kTrueClass = "true_class";
constexpr std::string_view kPredictedValue = "predicted_value";
constexpr std::string_view kTrueValue = "true_value";
constexpr std::string_view kTrueProbability = "true_probability";
constexpr std::string_view kTopProbability = "top_probability";
constexpr std::string_view kTruePlace = "true_place";
// Followed by a number, in the order of OutcomeBlock::scores.
constexpr std::string_view kScore = "score:";
// Followed by the name of the measure.
constexpr std::string_view kContributed = "contributed:";

template <typename T>
void SetColumn(std::string_view name, const std::vector<T>& values, batch::Batch& columns) {
  if (values.empty()) return;
  TIDEMILL_CHECK(columns.Set(batch::MakeColumn<T>(name, values)).ok());
}

// An absent column leaves `to` empty.
template <typename T>
absl::Status TakeColumn(const batch::Batch& columns, std::string_view name, batch::DataType type,
                        std::vector<T>& to) {
  const batch::Column* const column = columns.Find(name);
  if (column == nullptr) return absl::OkStatus();
  if (column->type != type || column->Width() != 1) {
    return DataLoss("the column {} of kept outcomes has another type", name);
  }
  const std::span<const T> values = column->Values<T>();
  to.assign(values.begin(), values.end());
  return absl::OkStatus();
}

}  // namespace

batch::Batch OutcomeTable::ToBatch() const {
  batch::Batch columns(num_kept());
  SetColumn(batch::kKeyColumn, keys_, columns);
  SetColumn(batch::kEventTimeColumn, times_, columns);
  SetColumn(kPredictedClass, predicted_classes_, columns);
  SetColumn(kTrueClass, true_classes_, columns);
  SetColumn(kPredictedValue, predicted_values_, columns);
  SetColumn(kTrueValue, true_values_, columns);
  SetColumn(kTrueProbability, true_probabilities_, columns);
  SetColumn(kTopProbability, top_probabilities_, columns);
  SetColumn(kTruePlace, true_places_, columns);
  for (size_t i = 0; i < scores_.size(); ++i) {
    SetColumn(fmt::format("{}{}", kScore, i), scores_[i], columns);
  }
  for (const Contributed& own : contributed_) {
    if (own.numbers.empty()) continue;
    TIDEMILL_CHECK(
        columns
            .Set(batch::MakeColumn<double>(fmt::format("{}{}", kContributed, own.measure),
                                           own.numbers, {static_cast<int64_t>(own.width)}))
            .ok());
  }
  return columns;
}

absl::StatusOr<OutcomeTable> OutcomeTable::FromBatch(const batch::Batch& columns) {
  using batch::DataType;
  OutcomeTable table(0);
  RETURN_IF_ERROR(TakeColumn(columns, batch::kKeyColumn, DataType::kInt64, table.keys_));
  RETURN_IF_ERROR(TakeColumn(columns, batch::kEventTimeColumn, DataType::kInt64, table.times_));
  RETURN_IF_ERROR(TakeColumn(columns, kPredictedClass, DataType::kInt64, table.predicted_classes_));
  RETURN_IF_ERROR(TakeColumn(columns, kTrueClass, DataType::kInt64, table.true_classes_));
  RETURN_IF_ERROR(
      TakeColumn(columns, kPredictedValue, DataType::kFloat32, table.predicted_values_));
  RETURN_IF_ERROR(TakeColumn(columns, kTrueValue, DataType::kFloat32, table.true_values_));
  RETURN_IF_ERROR(
      TakeColumn(columns, kTrueProbability, DataType::kFloat32, table.true_probabilities_));
  RETURN_IF_ERROR(
      TakeColumn(columns, kTopProbability, DataType::kFloat32, table.top_probabilities_));
  RETURN_IF_ERROR(TakeColumn(columns, kTruePlace, DataType::kInt32, table.true_places_));
  while (true) {
    const std::string name = fmt::format("{}{}", kScore, table.scores_.size());
    if (columns.Find(name) == nullptr) break;
    RETURN_IF_ERROR(TakeColumn(columns, name, DataType::kFloat32, table.scores_.emplace_back()));
  }
  for (const batch::Column& column : columns.columns()) {
    if (!column.name.starts_with(kContributed)) continue;
    if (column.type != DataType::kFloat64 || column.Width() < 1) {
      return DataLoss("the column {} of kept outcomes has another type", column.name);
    }
    const auto numbers = column.Values<double>();
    table.contributed_.push_back({.measure = column.name.substr(kContributed.size()),
                                  .width = static_cast<size_t>(column.Width()),
                                  .numbers = {numbers.begin(), numbers.end()}});
  }
  const bool has_classes = table.true_classes_.size() == table.keys_.size() &&
                           table.predicted_classes_.size() == table.keys_.size();
  const bool has_values = table.true_values_.size() == table.keys_.size() &&
                          table.predicted_values_.size() == table.keys_.size();
  if (!table.keys_.empty() && has_classes == has_values) {
    return DataLoss("kept outcomes have neither classes nor values, or both");
  }
  table.num_added_ = table.num_kept();
  table.Seal();
  return table;
}

OutcomeTable OutcomeTable::Select(std::span<const int32_t> rows) const {
  OutcomeTable table = Pick(rows);
  table.Seal();
  return table;
}

}  // namespace tidemill::evaluator
