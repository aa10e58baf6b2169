#include "evaluator/testing/predictors.h"

#include <optional>
#include <string>

#include "absl/strings/numbers.h"

namespace tidemill::evaluator::testing {
namespace {

class ThresholdPredictor final : public Predictor {
 public:
  explicit ThresholdPredictor(std::optional<float> threshold) : threshold_(threshold) {}

  absl::StatusOr<std::vector<int64_t>> PredictClasses(const batch::Column& input,
                                                      int64_t /*num_rows*/) override {
    if (!threshold_) return Internal("told to fail");
    std::vector<int64_t> classes;
    for (const float x : input.Values<float>()) classes.push_back(x > *threshold_ ? 1 : 0);
    return classes;
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Column& input,
                                                   int64_t /*num_rows*/) override {
    if (!threshold_) return Internal("told to fail");
    const auto values = input.Values<float>();
    return std::vector<float>(values.begin(), values.end());
  }

 private:
  const std::optional<float> threshold_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Predictor>> MakeThresholdPredictor(const models::ModelSpec&,
                                                                  std::string_view weights) {
  std::optional<float> threshold;
  if (weights != "fail") {
    float value = 0;
    if (!absl::SimpleAtof(std::string(weights), &value)) return DataLoss("these are no weights");
    threshold = value;
  }
  return std::make_unique<ThresholdPredictor>(threshold);
}

}  // namespace tidemill::evaluator::testing
