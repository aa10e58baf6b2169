// A measure: how good a model is.
//
//   g++ -std=c++20 -O2 -shared -fPIC FILE_NAME.cpp -o FILE_NAME.so
//   measures: [{type: plugin, use: "FILE_NAME.so:CLASS_NAME", with: {missed: 5}}]
#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Measure {
 public:
  static constexpr const char* kDoc =
      "The mean cost of a prediction, where a missed 1 costs more than another mistake.";
  static constexpr const char* kVersion = "0.1";

  // What `with` may say.
  Number missed{*this, "missed", "The cost of a missed 1.", 5, {.min = 0}};

  Traits Describe() const override { return {.higher_is_better = false}; }

  // A number for each sample. The value is the mean of them, unless Describe() says .combines.
  void Contribute(const Block& block, const Contributions& contributions) const override {
    const auto labels = block.label_classes();
    const auto predictions = block.predicted_classes();
    for (size_t i = 0; i < block.rows(); ++i) {
      if (labels[i] == predictions[i]) continue;
      contributions[i] = labels[i] == 1 ? double(missed) : 1;
    }
  }
};
TIDEMILL_PLUGIN(CLASS_NAME);
