// The counts for F1, precision and recall: how often each class was right, predicted and true; and
// the measures of such counts. Averages are defined as in scikit-learn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

enum class ClassAverage { kMacro, kMicro, kWeighted };

}  // namespace tidemill::evaluator

template <>
struct tidemill::config::EnumNames<tidemill::evaluator::ClassAverage> {
  static constexpr std::pair<tidemill::evaluator::ClassAverage, std::string_view> kNames[] = {
      {tidemill::evaluator::ClassAverage::kMacro, "macro"},
      {tidemill::evaluator::ClassAverage::kMicro, "micro"},
      {tidemill::evaluator::ClassAverage::kWeighted, "weighted"},
  };
};

namespace tidemill::evaluator {

inline constexpr std::string_view kAverageDoc =
    "macro: every class counts the same. weighted: a class counts by its number of true samples. "
    "micro: over all samples at once, which equals accuracy.";

struct ClassCounts {
  int64_t right = 0;      // Predicted and true.
  int64_t predicted = 0;  // Predicted, right or not.
  int64_t truly = 0;      // True, predicted or not.
};

// The score of one class that occurs among the true or the predicted classes.
using ClassScore = double (*)(const ClassCounts&);

// Computes the average of a score over the classes that occur. Thread-compatible.
class ClassScoreAccumulator final : public Accumulator {
 public:
  ClassScoreAccumulator(ClassScore score, ClassAverage average)
      : score_(score), average_(average) {}

  void Add(const Outcomes& outcomes) override;
  std::optional<double> Value() const override;
  std::vector<double> Influence(const Outcomes& outcomes) const override;
  // Returns [[class, right, predicted, truly], ...]. It is empty for more than 20 classes.
  std::string Sums() const override;
  bool AddSums(std::string_view sums) override;

 private:
  // The counts from which the average is computed.
  struct Totals {
    ClassCounts all;
    double sum = 0;
    double weighted_sum = 0;
    int64_t num_classes = 0;
  };

  ClassCounts& Of(int64_t label);
  // `label` occurred.
  const ClassCounts& Known(int64_t label) const;
  Totals SumOfAll() const;
  // Adds the counts of a class as often as `times` says.
  void AddTo(Totals& totals, const ClassCounts& counts, int times) const;
  std::optional<double> AverageOf(const Totals& totals) const;
  // Returns the average without one sample.
  std::optional<double> Without(Totals totals, int64_t predicted, int64_t truly) const;

  const ClassScore score_;
  const ClassAverage average_;
  std::vector<ClassCounts> low_;          // Indexed by class, for classes with small numbers.
  std::map<int64_t, ClassCounts> other_;  // Ordered, so that sums are the same on every machine.
};

// Returns a name such as "f1_macro".
std::string NameWith(std::string_view measure, ClassAverage average);
// Sets the average for which NameWith() returns `name`. Returns false when there is none.
bool TakeAverage(std::string_view name, std::string_view measure, ClassAverage& average);

// The base of a measure that averages a score of classes. Its spec has, besides kType and kDoc,
//   static double ScoreOf(const ClassCounts& counts);
template <typename Spec>
struct OfClassScores {
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  ClassAverage average = ClassAverage::kMacro;

  void Fields(auto&& field) { field("average", average, kAverageDoc); }

  // A name such as "f1_macro".
  std::string Name() const { return NameWith(Spec::kType, average); }
  std::unique_ptr<Accumulator> NewAccumulator() const {
    return std::make_unique<ClassScoreAccumulator>(&Spec::ScoreOf, average);
  }

  friend bool operator==(const OfClassScores&, const OfClassScores&) = default;
};

template <typename Spec>
class ClassScoreMeasure : public SummedMeasure<Spec> {
 public:
  bool TakeName(std::string_view name) override {
    return TakeAverage(name, Spec::kType, this->spec_.average);
  }
};

}  // namespace tidemill::evaluator
