// The sums of errors from which the measures of real values are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

struct RealErrors {
  int64_t num_samples = 0;
  double absolute = 0;  // The sum of the absolute errors.
  double squared = 0;   // The sum of the squared errors.
  // The sums of the true values and of their squares, each less `origin`. `origin` is one of the
  // true values. Without it, the squares of values far from zero would lose the differences to
  // rounding.
  double origin = 0;
  double values = 0;
  double squared_values = 0;
};

// Computes the measure from the sums of at least one sample.
using OfErrors = std::optional<double> (*)(const RealErrors&);

// Thread-compatible.
class RealErrorAccumulator final : public Accumulator {
 public:
  // `with_sums` says whether Sums() returns anything.
  explicit RealErrorAccumulator(OfErrors value, bool with_sums = false)
      : value_(value), with_sums_(with_sums) {}

  void Add(const Outcomes& outcomes) override;
  std::optional<double> Value() const override;
  std::vector<double> Influence(const Outcomes& outcomes) const override;
  // Returns [samples, squared errors, mean of the true values, their squared distances from it].
  std::string Sums() const override;
  bool AddSums(std::string_view sums) override;

 private:
  // Adds the i-th sample, as often as `times` says, to `sums`, whose origin is known.
  static void AddTo(RealErrors& sums, const Outcomes& outcomes, size_t i, int64_t times);

  const OfErrors value_;
  const bool with_sums_;
  bool has_origin_ = false;
  RealErrors sums_;
};

}  // namespace tidemill::evaluator
