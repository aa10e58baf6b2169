#include "evaluator/measures/accuracy.h"

namespace tidemill::evaluator {
namespace {

class AccuracyAccumulator final : public Accumulator {
 public:
  void Add(const Outcomes& outcomes) override {
    num_samples_ += static_cast<int64_t>(outcomes.true_classes.size());
    for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
      num_right_ += outcomes.predicted_classes[i] == outcomes.true_classes[i] ? 1 : 0;
    }
  }

  void Merge(const Accumulator& other) override {
    const auto& same = static_cast<const AccuracyAccumulator&>(other);
    num_samples_ += same.num_samples_;
    num_right_ += same.num_right_;
  }

  std::optional<double> Value() const override {
    if (num_samples_ == 0) return std::nullopt;
    return static_cast<double>(num_right_) / static_cast<double>(num_samples_);
  }

 private:
  int64_t num_samples_ = 0;
  int64_t num_right_ = 0;
};

}  // namespace

std::unique_ptr<Accumulator> Accuracy::NewAccumulator() const {
  return std::make_unique<AccuracyAccumulator>();
}

}  // namespace tidemill::evaluator
