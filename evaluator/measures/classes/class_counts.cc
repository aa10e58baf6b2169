#include "evaluator/measures/classes/class_counts.h"

#include <algorithm>

#include "nlohmann/json.hpp"

namespace tidemill::evaluator {
namespace {

// Classes below have a place in a vector.
constexpr int64_t kNumLow = 1 << 16;

// Each takes some 20 bytes, for each model and window.
constexpr size_t kMaxInSums = 20;

}  // namespace

ClassCounts& ClassScoreAccumulator::Of(int64_t label) {
  if (label < 0 || label >= kNumLow) return other_[label];
  const auto place = static_cast<size_t>(label);
  if (place >= low_.size()) low_.resize(place + 1);
  return low_[place];
}

void ClassScoreAccumulator::Add(const Outcomes& outcomes) {
  for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
    const int64_t weight = outcomes.Weight(i);
    const int64_t predicted = outcomes.predicted_classes[i];
    const int64_t truly = outcomes.true_classes[i];
    Of(predicted).predicted += weight;
    ClassCounts& counts = Of(truly);
    counts.truly += weight;
    if (predicted == truly) counts.right += weight;
  }
}

const ClassCounts& ClassScoreAccumulator::Known(int64_t label) const {
  return label < 0 || label >= kNumLow ? other_.find(label)->second
                                       : low_[static_cast<size_t>(label)];
}

void ClassScoreAccumulator::AddTo(Totals& totals, const ClassCounts& counts, int times) const {
  if (counts.truly + counts.predicted == 0) return;
  totals.num_classes += times;
  totals.all.right += times * counts.right;
  totals.all.predicted += times * counts.predicted;
  totals.all.truly += times * counts.truly;
  totals.sum += times * score_(counts);
  totals.weighted_sum += times * score_(counts) * static_cast<double>(counts.truly);
}

ClassScoreAccumulator::Totals ClassScoreAccumulator::SumOfAll() const {
  Totals totals;
  for (const ClassCounts& counts : low_) AddTo(totals, counts, 1);
  for (const auto& [label, counts] : other_) AddTo(totals, counts, 1);
  return totals;
}

std::optional<double> ClassScoreAccumulator::AverageOf(const Totals& totals) const {
  if (totals.num_classes == 0) return std::nullopt;
  switch (average_) {
    case ClassAverage::kMacro:
      return totals.sum / static_cast<double>(totals.num_classes);
    case ClassAverage::kMicro:
      return score_(totals.all);
    case ClassAverage::kWeighted:
      return totals.weighted_sum / static_cast<double>(totals.all.truly);
  }
  return std::nullopt;
}

std::optional<double> ClassScoreAccumulator::Value() const { return AverageOf(SumOfAll()); }

std::optional<double> ClassScoreAccumulator::Without(Totals totals, int64_t predicted,
                                                     int64_t truly) const {
  ClassCounts of_truly = Known(truly);
  AddTo(totals, of_truly, -1);
  --of_truly.truly;
  if (predicted == truly) {
    --of_truly.predicted;
    --of_truly.right;
  } else {
    ClassCounts of_predicted = Known(predicted);
    AddTo(totals, of_predicted, -1);
    --of_predicted.predicted;
    AddTo(totals, of_predicted, 1);
  }
  AddTo(totals, of_truly, 1);
  return AverageOf(totals);
}

// Samples of the same two classes have the same influence.
std::vector<double> ClassScoreAccumulator::Influence(const Outcomes& outcomes) const {
  const Totals totals = SumOfAll();
  std::map<std::pair<int64_t, int64_t>, double> known;
  std::vector<double> without;
  for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
    const std::pair classes(outcomes.predicted_classes[i], outcomes.true_classes[i]);
    auto found = known.find(classes);
    if (found == known.end()) {
      const std::optional<double> value = Without(totals, classes.first, classes.second);
      if (!value) return {};
      found = known.emplace(classes, -*value).first;
    }
    without.push_back(found->second);
  }
  return without;
}

std::string ClassScoreAccumulator::Sums() const {
  nlohmann::json sums = nlohmann::json::array();
  const auto take = [&](int64_t label, const ClassCounts& counts) {
    if (counts.truly + counts.predicted == 0) return;
    sums.push_back({label, counts.right, counts.predicted, counts.truly});
  };
  for (size_t label = 0; label < low_.size(); ++label) {
    take(static_cast<int64_t>(label), low_[label]);
  }
  for (const auto& [label, counts] : other_) take(label, counts);
  return sums.size() > kMaxInSums ? std::string() : sums.dump();
}

bool ClassScoreAccumulator::AddSums(std::string_view sums) {
  const auto parsed = nlohmann::json::parse(sums, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_array()) return false;
  const auto is_entry = [](const nlohmann::json& entry) {
    return entry.is_array() && entry.size() == 4 &&
           std::all_of(entry.begin(), entry.end(),
                       [](const auto& n) { return n.is_number_integer(); });
  };
  if (!std::all_of(parsed.begin(), parsed.end(), is_entry)) return false;
  for (const auto& entry : parsed) {
    ClassCounts& counts = Of(entry[0].get<int64_t>());
    counts.right += entry[1].get<int64_t>();
    counts.predicted += entry[2].get<int64_t>();
    counts.truly += entry[3].get<int64_t>();
  }
  return true;
}

std::string NameWith(std::string_view measure, ClassAverage average) {
  for (const auto& [value, name] : config::EnumNames<ClassAverage>::kNames) {
    if (value == average) return std::string(measure) + "_" + std::string(name);
  }
  return std::string(measure);
}

bool TakeAverage(std::string_view name, std::string_view measure, ClassAverage& average) {
  for (const auto& [value, text] : config::EnumNames<ClassAverage>::kNames) {
    if (NameWith(measure, value) != name) continue;
    average = value;
    return true;
  }
  return false;
}

}  // namespace tidemill::evaluator
