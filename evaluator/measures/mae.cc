#include "evaluator/measures/mae.h"

#include <cmath>

namespace tidemill::evaluator {
namespace {

class MeanAbsoluteErrorAccumulator final : public Accumulator {
 public:
  void Add(const Outcomes& outcomes) override {
    num_samples_ += static_cast<int64_t>(outcomes.true_values.size());
    for (size_t i = 0; i < outcomes.true_values.size(); ++i) {
      const double error = static_cast<double>(outcomes.predicted_values[i]) -
                           static_cast<double>(outcomes.true_values[i]);
      sum_ += std::abs(error);
    }
  }

  void Merge(const Accumulator& other) override {
    const auto& same = static_cast<const MeanAbsoluteErrorAccumulator&>(other);
    num_samples_ += same.num_samples_;
    sum_ += same.sum_;
  }

  std::optional<double> Value() const override {
    if (num_samples_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(num_samples_);
  }

 private:
  int64_t num_samples_ = 0;
  double sum_ = 0;
};

}  // namespace

std::unique_ptr<Accumulator> MeanAbsoluteError::NewAccumulator() const {
  return std::make_unique<MeanAbsoluteErrorAccumulator>();
}

}  // namespace tidemill::evaluator
