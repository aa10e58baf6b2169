// Combines the values of several windows into one, with an interval.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/client/pooling.h"

namespace tidemill::cli {

// Half-open.
using WindowKey = std::pair<Cut, Cut>;

// The value of one measure, from evaluator::Pool(). It is a mean weighted by samples, or the value
// that all samples at once would give. When neither can be computed, it is a mean over windows.
// Thread-compatible.
class SampleMean {
 public:
  // `of_pipeline`: the measure where it is a plug-in, from PluginMeasureOf().
  explicit SampleMean(std::shared_ptr<const evaluator::Measure> of_pipeline = nullptr)
      : of_pipeline_(std::move(of_pipeline)) {}

  // Adds a value with its interval. A Value is an EvaluationValue or CompositeValue. A value that
  // is absent without sums, or that has no samples, is ignored.
  template <typename Value>
  void Add(const Value& value) {
    if ((!value.has_value() && value.sums().empty()) || value.num_samples() == 0) return;
    measure_ = value.measure();
    pooled_ = std::nullopt;
    members_.push_back({.window = {CutOf(value.from()), CutOf(value.to())},
                        .value = value.has_value() ? std::optional(value.value()) : std::nullopt,
                        .sums = value.sums(),
                        .num_samples = value.num_samples(),
                        .low = value.has_low() ? std::optional(value.low()) : std::nullopt,
                        .high = value.has_high() ? std::optional(value.high()) : std::nullopt});
  }

  int64_t num_samples() const;
  // Returns the beginning of the first window and the end of the last one. At least one value must
  // have been added.
  WindowKey Extent() const;
  // Returns std::nullopt without samples, and when a plug-in cannot pool the windows.
  std::optional<double> Mean() const;
  // Returns why there is no mean when a plug-in failed to compute it. Otherwise empty.
  std::string Missing() const;
  // Whether lower values mean a better model.
  bool LowerIsBetter() const;
  // The unit of its values; empty for a measure of Tidemill.
  std::string Unit() const { return of_pipeline_ == nullptr ? "" : of_pipeline_->Unit(); }
  // "per sample", "pooled" or "mean over windows".
  std::string_view How() const;
  // Empty before a value is added.
  const std::string& measure() const { return measure_; }

  // Returns the bounds of a 95 % interval from evaluator::PooledInterval(). Absent unless every
  // window has an interval and no two windows overlap.
  std::optional<std::pair<double, double>> Interval() const;

  // "0.7755 [0.7531, 0.7968]", "0.7755", "-".
  std::string ToString() const;

 private:
  struct Member {
    WindowKey window;
    std::optional<double> value;
    std::string sums = {};
    int64_t num_samples = 0;
    std::optional<double> low;
    std::optional<double> high;
  };

  template <typename Wire>
  static Cut CutOf(const Wire& cut) {
    return {{cut.event_time()}, {cut.sample_key()}};
  }

  // Computed once for the same members, because it may need a call of a plug-in.
  const std::optional<evaluator::PooledValue>& Pooled() const;
  bool HasOverlap() const;

  std::string measure_;
  std::vector<Member> members_;
  std::shared_ptr<const evaluator::Measure> of_pipeline_;
  mutable std::optional<std::optional<evaluator::PooledValue>> pooled_;
  mutable std::string missing_;
};

}  // namespace tidemill::cli
