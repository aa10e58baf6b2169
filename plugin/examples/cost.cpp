// What mistakes cost, where one kind is worse than the other: cost.py in C++.
//
//   g++ -std=c++20 -O2 -shared -fPIC cost.cpp -o cost.so
//   measures: [accuracy, {type: plugin, use: "cost.so:Cost", with: {missed: 20, positive: 1}}]
#include <optional>
#include <span>

#include "tidemill/plugin.hpp"

namespace {

class Cost : public tidemill::plugin::Measure {
 public:
  static constexpr const char* kDoc = "The mean cost of a prediction.";
  static constexpr const char* kVersion = "1.0";

  Number missed{*this, "missed", "The cost of a sample of the positive class that was predicted as another.", 5, {.min = 0}};
  Number false_alarm{*this, "false_alarm", "The cost of a sample that was predicted as the positive class and is another.",
                     1, {.min = 0}};
  Integer positive{*this, "positive", "The number of the positive class.", 1, {.min = 0}};

  Traits Describe() const override { return {.unit = "EUR"}; }

  // What each sample costs. The value is the mean.
  void Contribute(const Block& block, const Contributions& contributions) const override {
    const auto labels = block.label_classes();
    const auto predictions = block.predicted_classes();
    for (size_t i = 0; i < block.rows(); ++i) contributions[i] = CostOf(labels[i], predictions[i]);
  }

 protected:
  double CostOf(int64_t label, int64_t prediction) const {
    const bool is_positive = label == positive;
    const bool is_alarm = prediction == positive;
    if (is_positive == is_alarm) return 0;
    return is_positive ? missed : false_alarm;
  }
};
TIDEMILL_PLUGIN(Cost);

class Savings : public Cost {
 public:
  static constexpr const char* kDoc =
      "What the model saves of the cost of never raising an alarm, as a share: 1 for no cost, negative where never "
      "raising one were cheaper.";

  Traits Describe() const override { return {.higher_is_better = true, .width = 2, .combines = true}; }

  // What each sample costs, and what it would cost without a model.
  void Contribute(const Block& block, const Contributions& contributions) const override {
    const auto labels = block.label_classes();
    const auto predictions = block.predicted_classes();
    for (size_t i = 0; i < block.rows(); ++i) {
      contributions.row(i)[0] = CostOf(labels[i], predictions[i]);
      contributions.row(i)[1] = labels[i] == positive ? double(missed) : 0;
    }
  }

  // Without samples of the positive class nothing could be saved.
  std::optional<double> Combine(std::span<const double> sums) const override {
    if (sums[1] == 0) return std::nullopt;
    return 1 - sums[0] / sums[1];
  }
};
TIDEMILL_PLUGIN(Savings);

}  // namespace
