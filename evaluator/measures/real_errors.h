// What the measures of real values are made of: sums of errors.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

struct RealErrors {
  int64_t num_samples = 0;
  double absolute = 0;  // Sum of the absolute errors.
  double squared = 0;   // Of the squared errors.
  // Of the true values, and of their squares, each less `origin`, one of them: far from zero, the
  // squares themselves would leave nothing of the differences.
  double origin = 0;
  double values = 0;
  double squared_values = 0;
};

// What is made of the sums, of which there is one sample at least.
using OfErrors = std::optional<double> (*)(const RealErrors&);

// Thread-compatible.
class RealErrorAccumulator final : public Accumulator {
 public:
  // `with_sums`: whether Sums() says something.
  explicit RealErrorAccumulator(OfErrors value, bool with_sums = false)
      : value_(value), with_sums_(with_sums) {}

  void Add(const Outcomes& outcomes) override;
  std::optional<double> Value() const override;
  // [samples, squared errors, mean of the true values, their squared distances from it].
  std::string Sums() const override;
  bool AddSums(std::string_view sums) override;

 private:
  const OfErrors value_;
  const bool with_sums_;
  bool has_origin_ = false;
  RealErrors sums_;
};

}  // namespace tidemill::evaluator
