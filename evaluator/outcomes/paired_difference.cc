#include "evaluator/outcomes/paired_difference.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "evaluator/measures/dependence.h"

namespace tidemill::evaluator {
namespace {

template <typename T>
bool Differ(std::span<const T> one, std::span<const T> other, size_t row) {
  return !one.empty() && !other.empty() && one[row] != other[row];
}

bool ContributionsDiffer(const PairedOutcomes& pair, size_t row) {
  for (const Contributions& one : pair.one.contributions) {
    const Contributions* const other = pair.other.ContributionsTo(one.measure);
    if (other == nullptr || other->width != one.width) continue;
    if (!std::ranges::equal(one.numbers.subspan(row * one.width, one.width),
                            other->numbers.subspan(row * one.width, one.width))) {
      return true;
    }
  }
  return false;
}

// On how many samples the two do not say the same.
int64_t NumDiffering(const PairedOutcomes& pair) {
  int64_t num_differing = 0;
  for (size_t row = 0; row < pair.one.size(); ++row) {
    const Outcomes& one = pair.one;
    const Outcomes& other = pair.other;
    const bool differ = Differ(one.predicted_classes, other.predicted_classes, row) ||
                        Differ(one.predicted_values, other.predicted_values, row) ||
                        Differ(one.true_probabilities, other.true_probabilities, row) ||
                        ContributionsDiffer(pair, row);
    num_differing += differ ? 1 : 0;
  }
  return num_differing;
}

// Subtracts the means of the windows.
void CentreByWindow(std::span<const int32_t> windows, std::vector<double>& influence) {
  if (windows.size() != influence.size() || windows.empty()) return;
  struct OfWindow {
    double sum = 0;
    int64_t num_samples = 0;
  };
  std::vector<OfWindow> all(static_cast<size_t>(std::ranges::max(windows)) + 1);
  double sum = 0;
  for (size_t row = 0; row < influence.size(); ++row) {
    OfWindow& own = all[static_cast<size_t>(windows[row])];
    own.sum += influence[row];
    ++own.num_samples;
    sum += influence[row];
  }
  const double mean = sum / static_cast<double>(influence.size());
  for (size_t row = 0; row < influence.size(); ++row) {
    const OfWindow& own = all[static_cast<size_t>(windows[row])];
    influence[row] -=
        own.num_samples < kFewestOfWindow ? mean : own.sum / static_cast<double>(own.num_samples);
  }
}

// The influence of each sample on the difference. Empty when it is not known.
std::vector<double> InfluenceOf(const Measure& measure, const PairedOutcomes& pair) {
  std::vector<double> one = measure.Influence(pair.one);
  const std::vector<double> other = measure.Influence(pair.other);
  if (one.size() != other.size()) return {};
  for (size_t row = 0; row < one.size(); ++row) one[row] -= other[row];
  CentreByWindow(pair.windows, one);
  return one;
}

Interval Moved(const Interval& interval, double value, double widening) {
  const double centre = std::clamp(value, interval.low, interval.high);
  return {.low = centre + widening * (interval.low - centre),
          .high = centre + widening * (interval.high - centre)};
}

std::optional<Interval> IntervalOf(const Measure& measure, const PairedOutcomes& pair, double value,
                                   int replicates, int64_t seed) {
  const std::unique_ptr<ValueSeries> of_one = measure.NewSeries();
  const std::unique_ptr<ValueSeries> of_other = measure.NewSeries();
  Outcomes one = pair.one;
  Outcomes other = pair.other;
  ForEachDraw(pair.samples.keys, replicates, seed, [&](std::span<const uint8_t> weights) {
    one.weights = weights;
    other.weights = weights;
    of_one->Add(one);
    of_other->Add(other);
  });
  std::vector<std::optional<double>> differences = of_one->Values();
  const std::vector<std::optional<double>> others = of_other->Values();
  for (size_t i = 0; i < differences.size(); ++i) {
    const bool are_known = i < others.size() && differences[i] && others[i];
    differences[i] = are_known ? std::optional(*differences[i] - *others[i]) : std::nullopt;
  }
  std::optional<Interval> interval = PercentilesOf(differences);
  if (!interval) return std::nullopt;
  const Dependence dependence = DependenceOf(InfluenceOf(measure, pair), pair.samples.times);
  if (dependence.WasFound()) {
    interval = Moved(*interval, value,
                     dependence.Widening(pair.samples.share) * WideningOfDraws(replicates));
  }
  return interval;
}

std::optional<PairedDifference> DifferenceIn(const Measure& measure, const PairedOutcomes& window,
                                             int replicates, int64_t seed) {
  const std::optional<double> one = measure.ValueOf(window.one);
  const std::optional<double> other = measure.ValueOf(window.other);
  if (!one || !other || !std::isfinite(*one) || !std::isfinite(*other)) return std::nullopt;
  PairedDifference difference{
      .one = *one, .other = *other, .num_samples = std::ssize(window.samples.keys)};
  if (replicates > 0 && difference.num_samples > 1) {
    difference.interval = IntervalOf(measure, window, difference.value(), replicates, seed);
  }
  return difference;
}

// Weighted by samples, and with independent samples.
PairedDifference MeanOf(std::span<const PairedDifference> windows) {
  if (windows.size() == 1) return windows.front();
  PairedDifference mean;
  for (const PairedDifference& window : windows) mean.num_samples += window.num_samples;
  double below = 0;
  double above = 0;
  bool has_intervals = true;
  for (const PairedDifference& window : windows) {
    const double weight =
        static_cast<double>(window.num_samples) / static_cast<double>(mean.num_samples);
    mean.one += weight * window.one;
    mean.other += weight * window.other;
    has_intervals = has_intervals && window.interval.has_value();
    if (!has_intervals) continue;
    below += std::pow(weight * (window.value() - window.interval->low), 2);
    above += std::pow(weight * (window.interval->high - window.value()), 2);
  }
  if (has_intervals) {
    mean.interval =
        Interval{.low = mean.value() - std::sqrt(below), .high = mean.value() + std::sqrt(above)};
  }
  return mean;
}

}  // namespace

bool HasWhatItNeeds(const Measure& measure, const Outcomes& outcomes) {
  const size_t size = outcomes.size();
  if (measure.IsOfClasses().value_or(!outcomes.true_classes.empty()) !=
      !outcomes.true_classes.empty()) {
    return false;
  }
  if (measure.AsksForContributions() && outcomes.ContributionsTo(measure.Name()) == nullptr) {
    return false;
  }
  switch (measure.Needs()) {
    case Needs::kPredictions:
      return size > 0;
    case Needs::kProbabilities:
      return size > 0 && outcomes.true_probabilities.size() == size;
    case Needs::kRanks:
      return size > 0 && !outcomes.ranks.empty();
  }
  return false;
}

std::optional<PairedDifference> DifferenceOf(const Measure& measure,
                                             std::span<const PairedOutcomes> windows,
                                             int replicates, int64_t seed) {
  if (!measure.HasValue()) return std::nullopt;
  std::vector<PairedDifference> defined;
  int64_t num_differing = 0;
  for (const PairedOutcomes& window : windows) {
    const auto difference = DifferenceIn(measure, window, replicates, seed);
    if (!difference) continue;
    defined.push_back(*difference);
    num_differing += NumDiffering(window);
  }
  if (defined.empty()) return std::nullopt;
  PairedDifference mean = MeanOf(defined);
  if (mean.num_samples < kFewestPairs) mean.interval = std::nullopt;
  if (mean.interval && num_differing < kFewestDiffering) {
    mean.interval->low = std::min(mean.interval->low, 0.0);
    mean.interval->high = std::max(mean.interval->high, 0.0);
  }
  return mean;
}

}  // namespace tidemill::evaluator
