// Made-up outcomes on which measures are tried.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "evaluator/measures/measure.h"

namespace tidemill::evaluator::trials {

// Samples of three classes, for which the model is right in about seven of ten cases, and samples
// of real values. Each depends only on its index, so that they are the same in each trial.
class InventedOutcomes {
 public:
  static constexpr int64_t kNumClasses = 3;

  InventedOutcomes(int64_t num_samples, bool of_classes) {
    for (int64_t i = 0; i < num_samples; ++i) of_classes ? AddClass(i) : AddValue(i);
  }

  Outcomes Part(size_t begin, size_t num_rows) const {
    if (!true_values_.empty()) {
      return {.predicted_values = std::span(predicted_values_).subspan(begin, num_rows),
              .true_values = std::span(true_values_).subspan(begin, num_rows)};
    }
    return {.predicted_classes = std::span(predicted_classes_).subspan(begin, num_rows),
            .true_classes = std::span(true_classes_).subspan(begin, num_rows),
            .probabilities =
                std::span(probabilities_).subspan(begin * kNumClasses, num_rows * kNumClasses),
            .num_classes = kNumClasses};
  }
  Outcomes All() const { return Part(0, size()); }
  size_t size() const { return true_classes_.size() + true_values_.size(); }

  // Returns the same samples with constant predictions.
  InventedOutcomes WithConstantPredictions() const {
    InventedOutcomes constant = *this;
    std::ranges::fill(constant.predicted_classes_, 0);
    std::ranges::fill(constant.predicted_values_, 0.0F);
    for (size_t i = 0; i < constant.probabilities_.size(); ++i) {
      constant.probabilities_[i] = i % kNumClasses == 0 ? 0.5F : 0.25F;
    }
    return constant;
  }

  // Returns each sample twice.
  InventedOutcomes Twice() const {
    InventedOutcomes twice(0, true);
    for (size_t i = 0; i < 2 * size(); ++i) twice.AddCopy(*this, i / 2);
    return twice;
  }

 private:
  static double Unit(const char* purpose, int64_t i) { return RandomUnit({.purpose = purpose}, i); }

  void AddClass(int64_t i) {
    const auto truly = static_cast<int64_t>(Unit("trial truth", i) * kNumClasses);
    const int64_t other = (truly + 1 + (i % 2)) % kNumClasses;
    const int64_t said = Unit("trial prediction", i) < 0.7 ? truly : other;
    const double most = 0.4 + 0.5 * Unit("trial probability", i);
    true_classes_.push_back(truly);
    predicted_classes_.push_back(said);
    for (int64_t label = 0; label < kNumClasses; ++label) {
      probabilities_.push_back(static_cast<float>(label == said ? most : (1 - most) / 2));
    }
  }

  void AddValue(int64_t i) {
    true_values_.push_back(static_cast<float>(10 * Unit("trial truth", i)));
    predicted_values_.push_back(true_values_.back() +
                                static_cast<float>(Unit("trial prediction", i) - 0.5));
  }

  void AddCopy(const InventedOutcomes& from, size_t row) {
    if (!from.true_values_.empty()) {
      true_values_.push_back(from.true_values_[row]);
      predicted_values_.push_back(from.predicted_values_[row]);
      return;
    }
    true_classes_.push_back(from.true_classes_[row]);
    predicted_classes_.push_back(from.predicted_classes_[row]);
    const auto own = std::span(from.probabilities_).subspan(row * kNumClasses, kNumClasses);
    probabilities_.insert(probabilities_.end(), own.begin(), own.end());
  }

  std::vector<int64_t> true_classes_;
  std::vector<int64_t> predicted_classes_;
  std::vector<float> probabilities_;
  std::vector<float> true_values_;
  std::vector<float> predicted_values_;
};

}  // namespace tidemill::evaluator::trials
