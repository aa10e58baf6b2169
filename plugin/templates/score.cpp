// A score of downsampling: which samples a training keeps.
//
//   g++ -std=c++20 -O2 -shared -fPIC FILE_NAME.cpp -o FILE_NAME.so
//   downsampling: {type: plugin, use: "FILE_NAME.so:CLASS_NAME", with: {power: 2}, fraction: 0.3}
#include <cmath>
#include <vector>

#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Score {
 public:
  static constexpr const char* kDoc = "Draws samples in proportion to a power of their losses.";
  static constexpr const char* kVersion = "0.1";

  // What `with` may say.
  Number power{*this, "power", "The power of the loss.", 1, {.min = 0}};

  std::vector<Column> LooksAt() const override { return {Column::kLosses}; }
  Keep Keeps() const override { return Keep::kInProportion; }

  // A number for each row, whatever the other rows are.
  std::vector<double> Scores(const Block& block) const override {
    const double exponent = power;
    std::vector<double> scores;
    for (const double loss : block.losses()) scores.push_back(std::pow(loss, exponent));
    return scores;
  }
};
TIDEMILL_PLUGIN(CLASS_NAME);
