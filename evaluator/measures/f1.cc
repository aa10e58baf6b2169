#include "evaluator/measures/f1.h"

#include <map>

namespace tidemill::evaluator {
namespace {

struct Counts {
  int64_t right = 0;      // Predicted and true.
  int64_t predicted = 0;  // Right or not.
  int64_t truly = 0;      // Predicted or not.

  // `truly` + `predicted` is 2 TP + FP + FN, positive for every class that occurs.
  double Score() const {
    return 2.0 * static_cast<double>(right) / static_cast<double>(truly + predicted);
  }
  void Add(const Counts& other) {
    right += other.right;
    predicted += other.predicted;
    truly += other.truly;
  }
};

class F1Accumulator final : public Accumulator {
 public:
  explicit F1Accumulator(F1Average average) : average_(average) {}

  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
      const int64_t predicted = outcomes.predicted_classes[i];
      const int64_t truly = outcomes.true_classes[i];
      ++classes_[predicted].predicted;
      ++classes_[truly].truly;
      if (predicted == truly) ++classes_[truly].right;
    }
  }

  void Merge(const Accumulator& other) override {
    for (const auto& [label, counts] : static_cast<const F1Accumulator&>(other).classes_) {
      classes_[label].Add(counts);
    }
  }

  std::optional<double> Value() const override {
    if (classes_.empty()) return std::nullopt;
    Counts total;
    double sum = 0;
    double weighted_sum = 0;
    for (const auto& [label, counts] : classes_) {
      total.Add(counts);
      sum += counts.Score();
      weighted_sum += counts.Score() * static_cast<double>(counts.truly);
    }
    switch (average_) {
      case F1Average::kMacro:
        return sum / static_cast<double>(classes_.size());
      case F1Average::kMicro:
        return total.Score();
      case F1Average::kWeighted:
        return weighted_sum / static_cast<double>(total.truly);
    }
    return std::nullopt;
  }

 private:
  const F1Average average_;
  std::map<int64_t, Counts> classes_;  // Ordered, so that sums are the same on every machine.
};

}  // namespace

std::string F1::Name() const {
  switch (average) {
    case F1Average::kMacro:
      return "f1_macro";
    case F1Average::kMicro:
      return "f1_micro";
    case F1Average::kWeighted:
      return "f1_weighted";
  }
  return "f1";
}

std::unique_ptr<Accumulator> F1::NewAccumulator() const {
  return std::make_unique<F1Accumulator>(average);
}

}  // namespace tidemill::evaluator
