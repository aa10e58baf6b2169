#include "evaluator/outcomes/curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace tidemill::evaluator {
namespace {

constexpr size_t kMostBins = 15;
constexpr size_t kFewestInBin = 30;
constexpr size_t kMostPoints = 200;
constexpr int32_t kParts = 32;
// The share of values on each side that may be beyond a grid.
constexpr double kBeyond = 0.005;

// A probability, and whether what it is of came true.
using Said = std::pair<double, bool>;

// Whether there are two classes. Scores are then those of class 1 alone.
bool HasTwoClasses(const Outcomes& outcomes) {
  const auto is_one_of_two = [](int64_t label) { return label == 0 || label == 1; };
  return outcomes.ranks.size() == outcomes.true_classes.size() &&
         std::ranges::all_of(outcomes.true_classes, is_one_of_two) &&
         std::ranges::all_of(outcomes.predicted_classes, is_one_of_two);
}

// The probability of class 1 of each sample, ascending. Rounding differs between the probability of
// one class and what remains of the other, so the ranks tell which samples have the same one.
std::vector<Said> OfClassOne(const Outcomes& outcomes) {
  struct OfRank {
    double sum = 0;
    double num_samples = 0;
  };
  std::vector<OfRank> by_rank(static_cast<size_t>(outcomes.num_ranks));
  const auto of_one = [&](size_t i) {
    const auto of_truth = static_cast<double>(outcomes.true_probabilities[i]);
    return outcomes.true_classes[i] == 1 ? of_truth : 1 - of_truth;
  };
  for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
    OfRank& own = by_rank[static_cast<size_t>(outcomes.ranks[i])];
    own.sum += of_one(i);
    own.num_samples += 1;
  }
  std::vector<Said> said;
  for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
    const OfRank& own = by_rank[static_cast<size_t>(outcomes.ranks[i])];
    const double probability = own.sum / own.num_samples;
    if (std::isfinite(probability)) said.emplace_back(probability, outcomes.true_classes[i] == 1);
  }
  std::ranges::sort(said);
  return said;
}

std::vector<Said> OfPredictedClass(const Outcomes& outcomes) {
  std::vector<Said> said;
  for (size_t i = 0; i < outcomes.true_classes.size(); ++i) {
    const auto top = static_cast<double>(outcomes.top_probabilities[i]);
    if (!std::isfinite(top)) continue;
    said.emplace_back(top, outcomes.predicted_classes[i] == outcomes.true_classes[i]);
  }
  std::ranges::sort(said);
  return said;
}

bool HasProbabilities(const Outcomes& outcomes) {
  return !outcomes.true_classes.empty() &&
         outcomes.true_probabilities.size() == outcomes.true_classes.size() &&
         outcomes.top_probabilities.size() == outcomes.true_classes.size();
}

CalibrationBin BinOf(std::span<const Said> said) {
  CalibrationBin bin{
      .from = said.front().first, .to = said.back().first, .num_samples = std::ssize(said)};
  for (const auto& [probability, came_true] : said) {
    bin.probability += probability;
    bin.share += came_true ? 1 : 0;
  }
  bin.probability /= static_cast<double>(said.size());
  bin.share /= static_cast<double>(said.size());
  return bin;
}

// The points after each probability, with the greatest first.
std::vector<RocPoint> PointsOf(const std::vector<Said>& ascending, double negatives,
                               double positives) {
  std::vector<RocPoint> points = {{.threshold = 1}};
  double above_of_one = 0;
  double above_of_zero = 0;
  for (size_t i = ascending.size(); i-- > 0;) {
    (ascending[i].second ? above_of_one : above_of_zero) += 1;
    if (i > 0 && ascending[i - 1].first == ascending[i].first) continue;
    points.push_back({.threshold = ascending[i].first,
                      .false_positives = above_of_zero / negatives,
                      .true_positives = above_of_one / positives});
  }
  return points;
}

// A step along the curve never leaves more than its share of the whole way out.
std::vector<RocPoint> Thinned(const std::vector<RocPoint>& all) {
  if (all.size() <= kMostPoints) return all;
  std::vector<RocPoint> kept = {all.front()};
  const double step = 2.0 / static_cast<double>(kMostPoints - 2);
  for (size_t i = 1; i + 1 < all.size(); ++i) {
    const double moved = all[i + 1].false_positives - kept.back().false_positives +
                         all[i + 1].true_positives - kept.back().true_positives;
    if (moved > step) kept.push_back(all[i]);
  }
  kept.push_back(all.back());
  return kept;
}

double Quantile(std::vector<float>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return static_cast<double>(values[static_cast<size_t>(place)]);
}

// The ends of the values, without the rarest on each side.
std::pair<double, double> RangeOf(std::span<const float> values) {
  std::vector<float> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](float value) { return std::isfinite(value); });
  if (finite.empty()) return {0, 0};
  return {Quantile(finite, kBeyond), Quantile(finite, 1 - kBeyond)};
}

}  // namespace

std::optional<Calibration> CalibrationOf(const Outcomes& outcomes) {
  if (!HasProbabilities(outcomes)) return std::nullopt;
  Calibration calibration{.is_of_class_one = HasTwoClasses(outcomes)};
  const std::vector<Said> said =
      calibration.is_of_class_one ? OfClassOne(outcomes) : OfPredictedClass(outcomes);
  if (said.empty()) return std::nullopt;
  calibration.num_samples = std::ssize(said);
  const size_t num_bins = std::clamp<size_t>(said.size() / kFewestInBin, 1, kMostBins);
  size_t begin = 0;
  for (size_t bin = 1; bin <= num_bins; ++bin) {
    size_t end = std::max(begin, bin * said.size() / num_bins);
    while (end > begin && end < said.size() && said[end].first == said[end - 1].first) ++end;
    if (end == begin) continue;
    calibration.bins.push_back(BinOf(std::span(said).subspan(begin, end - begin)));
    begin = end;
  }
  for (const CalibrationBin& bin : calibration.bins) {
    calibration.error += static_cast<double>(bin.num_samples) / static_cast<double>(said.size()) *
                         std::abs(bin.probability - bin.share);
  }
  return calibration;
}

std::optional<RocCurve> RocCurveOf(const Outcomes& outcomes) {
  if (!HasProbabilities(outcomes) || !HasTwoClasses(outcomes)) return std::nullopt;
  const std::vector<Said> said = OfClassOne(outcomes);
  const auto positives = static_cast<double>(std::ranges::count(said, true, &Said::second));
  const double negatives = static_cast<double>(said.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  const std::vector<RocPoint> points = PointsOf(said, negatives, positives);
  RocCurve curve{.points = Thinned(points), .num_samples = std::ssize(said)};
  for (size_t i = 1; i < points.size(); ++i) {
    curve.area += (points[i].false_positives - points[i - 1].false_positives) *
                  (points[i].true_positives + points[i - 1].true_positives) / 2;
  }
  return curve;
}

std::optional<ValueGrid> ValueGridOf(const Outcomes& outcomes) {
  if (outcomes.true_values.empty()) return std::nullopt;
  const auto of_truth = RangeOf(outcomes.true_values);
  const auto of_predicted = RangeOf(outcomes.predicted_values);
  ValueGrid grid{.from = std::min(of_truth.first, of_predicted.first),
                 .to = std::max(of_truth.second, of_predicted.second),
                 .num_parts = kParts,
                 .num_samples = std::ssize(outcomes.true_values)};
  if (!(grid.from < grid.to)) return std::nullopt;
  std::map<std::pair<int32_t, int32_t>, int64_t> counts;
  const auto part_of = [&](float value) -> std::optional<int32_t> {
    const double share = (static_cast<double>(value) - grid.from) / (grid.to - grid.from);
    if (!(share >= 0 && share <= 1)) return std::nullopt;
    return std::min(kParts - 1, static_cast<int32_t>(share * kParts));
  };
  for (size_t i = 0; i < outcomes.true_values.size(); ++i) {
    const auto truth = part_of(outcomes.true_values[i]);
    const auto predicted = part_of(outcomes.predicted_values[i]);
    if (truth && predicted) {
      ++counts[{*truth, *predicted}];
    } else {
      ++grid.num_beyond;
    }
  }
  for (const auto& [place, count] : counts) {
    grid.cells.push_back({.truth = place.first, .predicted = place.second, .num_samples = count});
  }
  return grid;
}

}  // namespace tidemill::evaluator
