// Joins what two series of models said: the rows of the samples that both have.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/measures/measures.h"
#include "evaluator/outcomes/outcome_table.h"
#include "evaluator/outcomes/paired_difference.h"

namespace tidemill::evaluator {

// The outcomes of one model on one window, as OutcomeTable::ToBatch() returns them.
struct SeriesWindow {
  batch::Batch columns;
  uint64_t key_limit = OutcomeTable::kNoLimit;
};

// One model or rule for each window, such as the models in use. A sample that is in several windows
// counts in the first of them.
using OutcomeSeries = std::vector<SeriesWindow>;

// The samples that two series have in common, in the order of time. Immutable.
class JoinedSeries {
 public:
  // DATA_LOSS when columns are not those of kept outcomes. Time and memory grow with the samples of
  // both.
  static absl::StatusOr<JoinedSeries> Join(const OutcomeSeries& one, const OutcomeSeries& other);

  int64_t num_samples() const { return all_.num_samples; }
  // The share of all samples, from which they were drawn by their keys.
  double share() const { return share_; }

  // std::nullopt when the measure is undefined, or when what it needs was not kept.
  std::optional<PairedDifference> DifferenceOf(const Measure& measure, int replicates,
                                               int64_t seed) const;

 private:
  struct Part {
    OutcomeTable one{0};
    OutcomeTable other{0};
    int64_t num_samples = 0;
    // The number of the pair of windows of each sample.
    std::vector<int32_t> windows = {};

    PairedOutcomes pair() const;
  };

  static absl::StatusOr<Part> PartOf(std::vector<batch::Batch> one,
                                     std::vector<batch::Batch> other);

  Part all_;
  // The samples of each pair of windows, for measures that are averaged over windows.
  std::vector<Part> parts_;
  double share_ = 1;
};

// Returns the rows of all windows as one table, each sample once, and those that all windows could
// have kept. DATA_LOSS as above.
absl::StatusOr<OutcomeTable> TableOf(const OutcomeSeries& series);

}  // namespace tidemill::evaluator
