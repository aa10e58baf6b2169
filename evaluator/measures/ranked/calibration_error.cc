#include "evaluator/measures/ranked/calibration_error.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nlohmann/json.hpp"

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

struct Bin {
  int64_t num_samples = 0;
  int64_t num_right = 0;
  double confidence = 0;  // Sum of the probabilities.
};

class CalibrationAccumulator final : public Accumulator {
 public:
  explicit CalibrationAccumulator(int bins) : bins_(static_cast<size_t>(bins)) {}

  void Add(const Outcomes& outcomes) override {
    for (size_t i = 0; i < outcomes.top_probabilities.size(); ++i) {
      const auto probability = static_cast<double>(outcomes.top_probabilities[i]);
      if (!(probability >= 0)) continue;  // NaN, of a network that diverged.
      const int64_t weight = outcomes.Weight(i);
      Bin& bin = bins_[PlaceOf(probability)];
      bin.num_samples += weight;
      bin.confidence += static_cast<double>(weight) * probability;
      bin.num_right += outcomes.predicted_classes[i] == outcomes.true_classes[i] ? weight : 0;
    }
  }

  std::optional<double> Value() const override {
    int64_t num_samples = 0;
    double sum = 0;
    for (const Bin& bin : bins_) {
      num_samples += bin.num_samples;
      sum += std::abs(bin.confidence - static_cast<double>(bin.num_right));
    }
    if (num_samples == 0) return std::nullopt;
    return sum / static_cast<double>(num_samples);
  }

  // A sample moves the difference of its bin, whose sign says which way.
  std::vector<double> Influence(const Outcomes& outcomes) const override {
    std::vector<double> differences(outcomes.top_probabilities.size());
    for (size_t i = 0; i < differences.size(); ++i) {
      const auto probability = static_cast<double>(outcomes.top_probabilities[i]);
      if (!(probability >= 0)) continue;
      const Bin& bin = bins_[PlaceOf(probability)];
      const bool is_right = outcomes.predicted_classes[i] == outcomes.true_classes[i];
      const double difference = probability - (is_right ? 1 : 0);
      const bool is_too_sure = bin.confidence > static_cast<double>(bin.num_right);
      differences[i] = is_too_sure ? difference : -difference;
    }
    return differences;
  }

  std::string Detail(std::span<const std::string>) const override {
    nlohmann::ordered_json bins = nlohmann::ordered_json::array();
    for (size_t i = 0; i < bins_.size(); ++i) {
      const Bin& bin = bins_[i];
      const auto count = static_cast<double>(bin.num_samples);
      nlohmann::ordered_json row = {
          {"from", static_cast<double>(i) / static_cast<double>(bins_.size())},
          {"to", static_cast<double>(i + 1) / static_cast<double>(bins_.size())},
          {"samples", bin.num_samples},
          {"confidence", nullptr},
          {"accuracy", nullptr}};
      if (bin.num_samples > 0) {
        row["confidence"] = bin.confidence / count;
        row["accuracy"] = static_cast<double>(bin.num_right) / count;
      }
      bins.push_back(std::move(row));
    }
    return nlohmann::ordered_json{{"bins", std::move(bins)}}.dump();
  }

 private:
  size_t PlaceOf(double probability) const {
    const auto num_bins = static_cast<double>(bins_.size());
    return static_cast<size_t>(std::min(probability * num_bins, num_bins - 1));
  }

  std::vector<Bin> bins_;
};

}  // namespace

std::unique_ptr<Accumulator> CalibrationError::NewAccumulator() const {
  return std::make_unique<CalibrationAccumulator>(bins);
}

TIDEMILL_PART(Measure, MeasureOf, CalibrationError)

}  // namespace tidemill::evaluator
