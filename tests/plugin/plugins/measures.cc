// Measures that Tidemill has, too, and one that does what plug-ins may not do.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "tidemill/plugin.hpp"

namespace {

using tidemill::plugin::Measure;

class Right : public Measure {
 public:
  Traits Describe() const override { return {.higher_is_better = true}; }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) {
      contributions[i] = block.label_classes()[i] == block.predicted_classes()[i] ? 1 : 0;
    }
  }
};
TIDEMILL_PLUGIN(Right);

class RightShare : public Measure {
 public:
  Traits Describe() const override {
    return {.higher_is_better = true, .width = 2, .combines = true};
  }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) {
      const bool is_right = block.label_classes()[i] == block.predicted_classes()[i];
      contributions.row(i)[0] = is_right ? 1 : 0;
      contributions.row(i)[1] = 1;
    }
  }
  std::optional<double> Combine(std::span<const double> sums) const override {
    return sums[0] / sums[1];
  }
};
TIDEMILL_PLUGIN(RightShare);

class Loss : public Measure {
 public:
  Traits Describe() const override { return {.needs_probabilities = true}; }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    constexpr float kLeast = std::numeric_limits<float>::epsilon();
    for (size_t i = 0; i < block.rows(); ++i) {
      const auto truly = static_cast<size_t>(block.label_classes()[i]);
      const float probability = std::max(block.probabilities()[i][truly], kLeast);
      contributions[i] = -std::log(static_cast<double>(probability));
    }
  }
};
TIDEMILL_PLUGIN(Loss);

class AbsoluteError : public Measure {
 public:
  Traits Describe() const override { return {.of_values = true, .unit = "EUR"}; }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) {
      contributions[i] = std::abs(block.predicted_values()[i] - block.label_values()[i]);
    }
  }
};
TIDEMILL_PLUGIN(AbsoluteError);

class Faulty : public Measure {
 public:
  Text how{*this, "how", "What it does wrong.", "throw"};
  Text at{*this, "at", "In contributions, or in combine.", "contributions"};

  Traits Describe() const override { return {.width = 2, .combines = true}; }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) contributions.row(i)[0] = contributions.row(i)[1] = 1;
    if (*at == "contributions") DoWrong(contributions.row(0)[0]);
  }
  std::optional<double> Combine(std::span<const double> sums) const override {
    double value = sums[0];
    if (*at == "combine") DoWrong(value);
    return value;
  }

 private:
  void DoWrong(double& number) const {
    if (*how == "throw") throw std::runtime_error("thrown on purpose");
    if (*how == "exit") std::_Exit(3);
    if (*how == "loop") sleep(60);
    if (*how == "not_finite") number = std::numeric_limits<double>::infinity();
  }
};
TIDEMILL_PLUGIN(Faulty);

}  // namespace
