// The value of some rows together, with an interval.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "evaluator/measures/measures.h"
#include "results/pooling.h"
#include "results/rows.h"

namespace tidemill::results {

// The value of one measure, from Pool(). It is a mean weighted by samples, or the value that all
// samples at once would give. When neither can be computed, it is a mean over windows. It holds
// views: the rows must outlive it. Thread-compatible.
class SampleMean {
 public:
  // `of_pipeline`: the measure where it is a plug-in, else nullptr.
  explicit SampleMean(std::shared_ptr<const Measure> of_pipeline = nullptr)
      : of_pipeline_(std::move(of_pipeline)) {}
  SampleMean(const Rows& rows, std::shared_ptr<const Measure> of_pipeline)
      : of_pipeline_(std::move(of_pipeline)) {
    for (const Row* row : rows) Add(*row);
  }

  // A row that has neither a value nor sums, or that has no samples, is ignored.
  void Add(const Row& row);

  // The rows that were not ignored.
  const Rows& rows() const { return rows_; }
  int64_t num_samples() const;
  // Returns the beginning of the first window and the end of the last one. At least one value must
  // have been added.
  Window Extent() const;
  // Returns std::nullopt without samples, and when a plug-in cannot pool the rows.
  std::optional<double> Mean() const;
  // Returns why there is no mean when a plug-in failed to compute it. Otherwise empty.
  std::string Missing() const;
  // Whether lower values mean a better model.
  bool LowerIsBetter() const;
  // The unit of its values; empty for a measure of Tidemill.
  std::string Unit() const { return of_pipeline_ == nullptr ? "" : of_pipeline_->Unit(); }
  // "per sample", "pooled" or "mean over windows".
  std::string_view How() const;
  // Empty before a row is added.
  std::string measure() const { return rows_.empty() ? "" : rows_.front()->measure(); }

  // Returns the bounds of a 95 % interval from PooledInterval(). Absent unless every row has an
  // interval and no two windows overlap.
  std::optional<std::pair<double, double>> Interval() const;

  // "0.7755 [0.7531, 0.7968]", "0.7755", "-".
  std::string ToString() const;

 private:
  // Computed once for the same rows, because it may need a call of a plug-in.
  const std::optional<PooledValue>& Pooled() const;
  bool HasOverlap() const;

  Rows rows_;
  std::shared_ptr<const Measure> of_pipeline_;
  mutable std::optional<std::optional<PooledValue>> pooled_;
  mutable std::string missing_;
};

}  // namespace tidemill::results
