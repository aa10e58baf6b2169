#include "evaluator/measures/classes/accuracy.h"

#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

class AccuracyAccumulator final : public Accumulator {
 public:
  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
      const int64_t weight = outcomes.Weight(i);
      num_samples_ += weight;
      num_right_ += outcomes.predicted_classes[i] == outcomes.true_classes[i] ? weight : 0;
    }
  }

  std::optional<double> Value() const override {
    if (num_samples_ == 0) return std::nullopt;
    return static_cast<double>(num_right_) / static_cast<double>(num_samples_);
  }

  std::vector<double> Influence(const Outcomes& outcomes) const override {
    std::vector<double> right;
    right.reserve(outcomes.true_classes.size());
    for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
      right.push_back(outcomes.predicted_classes[i] == outcomes.true_classes[i] ? 1 : 0);
    }
    return right;
  }

 private:
  int64_t num_samples_ = 0;
  int64_t num_right_ = 0;
};

}  // namespace

std::unique_ptr<Accumulator> Accuracy::NewAccumulator() const {
  return std::make_unique<AccuracyAccumulator>();
}

TIDEMILL_PART(Measure, MeasureOf, Accuracy)

}  // namespace tidemill::evaluator
