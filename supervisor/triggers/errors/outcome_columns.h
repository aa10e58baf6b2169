// A model's answers for samples, as the columns that measures read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/measures/measures.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// Thread-compatible.
class OutcomeColumns {
 public:
  // `table` is in the form of EvidenceKind::kOutcomes. The columns are those that the measure
  // needs.
  OutcomeColumns(const evaluator::Measure& measure, const EvidenceTable& table);

  // Valid as long as this object.
  evaluator::Outcomes outcomes() const;

 private:
  void AddClasses(int64_t truly, std::span<const double> probabilities);
  void AddRanks(const EvidenceTable& table);

  int64_t num_classes_ = 0;
  std::vector<int64_t> true_classes_, predicted_classes_;
  std::vector<float> true_probabilities_, top_probabilities_;
  std::vector<int32_t> true_places_;
  std::vector<float> true_values_, predicted_values_;
  std::vector<int32_t> ranks_;
  int64_t num_ranks_ = 0;
};

}  // namespace tidemill::supervisor
