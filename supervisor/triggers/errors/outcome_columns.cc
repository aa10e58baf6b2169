#include "supervisor/triggers/errors/outcome_columns.h"

#include <algorithm>

#include "evaluator/measures/ranked/ranks.h"

namespace tidemill::supervisor {

OutcomeColumns::OutcomeColumns(const evaluator::Measure& measure, const EvidenceTable& table) {
  const auto width = static_cast<size_t>(table.width);
  const bool is_of_classes = measure.IsOfClasses().value_or(false);
  for (int64_t row = 0; row < table.num_rows; ++row) {
    const auto values = std::span(table.values).subspan(static_cast<size_t>(row) * width, width);
    if (is_of_classes) {
      AddClasses(static_cast<int64_t>(values[0]), values.subspan(1));
    } else {
      true_values_.push_back(static_cast<float>(values[0]));
      predicted_values_.push_back(static_cast<float>(values[1]));
    }
  }
  if (is_of_classes) num_classes_ = table.width - 1;
  if (measure.Needs() == evaluator::Needs::kRanks) AddRanks(table);
}

void OutcomeColumns::AddClasses(int64_t truly, std::span<const double> probabilities) {
  const auto top = std::max_element(probabilities.begin(), probabilities.end());
  const auto place = static_cast<size_t>(truly);
  const bool is_known = truly >= 0 && place < probabilities.size();
  const double own = is_known ? probabilities[place] : 0;
  auto before = static_cast<int32_t>(probabilities.size());
  if (is_known) {
    before = 0;
    for (size_t i = 0; i < probabilities.size(); ++i) {
      before += probabilities[i] > own || (probabilities[i] == own && i < place) ? 1 : 0;
    }
  }
  true_classes_.push_back(truly);
  predicted_classes_.push_back(top - probabilities.begin());
  true_probabilities_.push_back(static_cast<float>(own));
  top_probabilities_.push_back(static_cast<float>(*top));
  true_places_.push_back(before);
}

// The ranks of the probabilities of each class; of two classes, only those of class 1.
void OutcomeColumns::AddRanks(const EvidenceTable& table) {
  std::vector<float> scores(static_cast<size_t>(table.num_rows));
  for (int64_t label = num_classes_ == 2 ? 1 : 0; label < num_classes_; ++label) {
    for (size_t row = 0; row < scores.size(); ++row) {
      const size_t at = row * static_cast<size_t>(table.width) + 1 + static_cast<size_t>(label);
      scores[row] = static_cast<float>(table.values[at]);
    }
    const std::vector<int32_t> some = evaluator::DenseRanks(scores);
    ranks_.insert(ranks_.end(), some.begin(), some.end());
  }
  num_ranks_ = ranks_.empty() ? 0 : *std::max_element(ranks_.begin(), ranks_.end()) + 1;
}

evaluator::Outcomes OutcomeColumns::outcomes() const {
  return {.predicted_classes = predicted_classes_,
          .true_classes = true_classes_,
          .predicted_values = predicted_values_,
          .true_values = true_values_,
          .true_probabilities = true_probabilities_,
          .top_probabilities = top_probabilities_,
          .true_places = true_places_,
          .num_classes = num_classes_,
          .ranks = ranks_,
          .num_ranks = num_ranks_};
}

}  // namespace tidemill::supervisor
