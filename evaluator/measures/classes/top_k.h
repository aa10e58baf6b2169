// The share of samples whose class was among the k most probable ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// Among equally probable classes, the one with the lower number comes first, as in the prediction.
// With k = 1 it is therefore the accuracy.
struct TopK {
  static constexpr std::string_view kType = "top_k";
  static constexpr std::string_view kDoc =
      "The share of samples whose class was among the k most probable ones.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kProbabilities;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  int64_t k = 5;

  void Fields(auto&& field) {
    field("k", k, "How many classes the model may name.", {.min = 1, .max = 1'000'000});
  }

  // A name such as "top_5".
  std::string Name() const { return "top_" + std::to_string(k); }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const TopK&, const TopK&) = default;
};

template <>
class MeasureOf<TopK> final : public SummedMeasure<TopK> {
 public:
  bool TakeName(std::string_view name) override;
  // Notes a problem when k covers all classes.
  void CheckClasses(int64_t num_classes, config::Problems& problems) const override;
};

}  // namespace tidemill::evaluator
