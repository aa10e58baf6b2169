#include "evaluator/measures/ranked/log_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

double LossOf(float true_probability) {
  constexpr float kLeast = std::numeric_limits<float>::epsilon();
  return -std::log(static_cast<double>(std::max(true_probability, kLeast)));
}

class LogLossAccumulator final : public Accumulator {
 public:
  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.true_probabilities.size(); ++i) {
      const int64_t weight = outcomes.Weight(i);
      if (weight == 0) continue;
      num_samples_ += weight;
      sum_ += static_cast<double>(weight) * LossOf(outcomes.true_probabilities[i]);
    }
  }

  std::optional<double> Value() const override {
    if (num_samples_ == 0 || !std::isfinite(sum_)) return std::nullopt;
    return sum_ / static_cast<double>(num_samples_);
  }

  std::vector<double> Influence(const Outcomes& outcomes) const override {
    std::vector<double> losses(outcomes.true_probabilities.size());
    std::ranges::transform(outcomes.true_probabilities, losses.begin(), &LossOf);
    return losses;
  }

 private:
  int64_t num_samples_ = 0;
  double sum_ = 0;
};

}  // namespace

std::unique_ptr<Accumulator> LogLoss::NewAccumulator() const {
  return std::make_unique<LogLossAccumulator>();
}

TIDEMILL_PART(Measure, MeasureOf, LogLoss)

}  // namespace tidemill::evaluator
