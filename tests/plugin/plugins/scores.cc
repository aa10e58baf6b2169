// scores.py in C++.
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

// The method `loss` of downsampling as a plug-in.
class Losses : public tidemill::plugin::Score {
 public:
  static constexpr const char* kDoc = "Keeps samples by their losses.";
  static constexpr const char* kVersion = "1.0";

  Text kept{*this,
            "kept",
            "Which are kept.",
            "in_proportion",
            {.choices = {"greatest", "least", "in_proportion"}}};

  std::vector<Column> LooksAt() const override { return {Column::kLosses}; }
  Keep Keeps() const override {
    if (*kept == "greatest") return Keep::kGreatest;
    return *kept == "least" ? Keep::kLeast : Keep::kInProportion;
  }
  std::vector<double> Scores(const Block& block) const override {
    const auto losses = block.losses();
    return {losses.begin(), losses.end()};
  }
};
TIDEMILL_PLUGIN(Losses);

// Scores a row wrongly when a sample of the key 13 is among the rows.
class WrongScore : public tidemill::plugin::Score {
 public:
  Text how{*this, "how", "What goes wrong.", kRequired};

  std::vector<Column> LooksAt() const override {
    return {Column::kLosses, Column::kProbabilities, Column::kLabels, Column::kEventTimes,
            Column::kAges};
  }
  Keep Keeps() const override { return Keep::kInProportion; }
  std::vector<double> Scores(const Block& block) const override {
    std::vector<double> scores(block.losses().begin(), block.losses().end());
    if (*how == "place") {
      for (size_t row = 0; row < scores.size(); ++row) scores[row] += static_cast<double>(row);
    }
    if (std::ranges::find(block.keys(), 13) == block.keys().end()) return scores;
    if (*how == "throw") throw std::invalid_argument("thrown on purpose");
    if (*how == "nan") scores[0] = std::numeric_limits<double>::quiet_NaN();
    if (*how == "negative") scores[0] = -1;
    if (*how == "few") scores.pop_back();
    if (*how == "exit") _exit(3);
    if (*how == "hang") sleep(1000);
    return scores;
  }
};
TIDEMILL_PLUGIN(WrongScore);

}  // namespace
