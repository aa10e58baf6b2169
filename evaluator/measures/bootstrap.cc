#include "evaluator/measures/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/numbers/random.h"
#include "evaluator/measures/dependence.h"

namespace tidemill::evaluator {
namespace {

constexpr int kLanes = 4;  // Draws of 16 bits from one number.

// The k-th is 2^16 x P(draw <= k): a draw is how many of them do not exceed 16 uniform bits.
constexpr std::array<uint32_t, 8> kThresholds = {24109, 48219, 60273, 64292,
                                                 65296, 65497, 65531, 65535};

// Stafford's variant 13 of the 64-bit finaliser of MurmurHash3.
uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

uint8_t Draw(uint64_t bits) {
  const auto uniform = static_cast<uint32_t>(bits & 0xFFFF);
  uint32_t draw = 0;
  for (const uint32_t threshold : kThresholds) draw += uniform >= threshold ? 1 : 0;
  return static_cast<uint8_t>(draw);
}

// `sorted` is not empty.
double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

// Puts the numbers of a range on a scale without ends.
double Unbounded(ValueRange range, double value) {
  switch (range) {
    case ValueRange::kAny:
      return value;
    case ValueRange::kFromZero:
      return std::log(value);
    case ValueRange::kUpToOne:
      return -std::log(1 - value);
    case ValueRange::kFromZeroToOne:
      return std::log(value / (1 - value));
  }
  return value;
}

// Undoes Unbounded().
double Bounded(ValueRange range, double value) {
  switch (range) {
    case ValueRange::kAny:
      return value;
    case ValueRange::kFromZero:
      return std::exp(value);
    case ValueRange::kUpToOne:
      return 1 - std::exp(-value);
    case ValueRange::kFromZeroToOne:
      return 1 / (1 + std::exp(-value));
  }
  return value;
}

// Moves a bound away from the value. A bound at an end of the range stays there.
double Moved(double bound, double value, double widening, ValueRange range) {
  const double from = Unbounded(range, value);
  const double to = Unbounded(range, bound);
  const double moved = Bounded(range, from + widening * (to - from));
  return std::isfinite(from) && std::isfinite(to) && std::isfinite(moved) ? moved : bound;
}

// If draws are above the value, as draws of calibration_error are, only the upper bound moves.
Interval Widened(const Interval& interval, double value, double widening, ValueRange range) {
  const double centre = std::clamp(value, interval.low, interval.high);
  return {.low = Moved(interval.low, centre, widening, range),
          .high = Moved(interval.high, centre, widening, range)};
}

// Widens an interval for independent samples by how far they follow one another.
Interval ForDependence(const Interval& interval, const Measure& measure, const Outcomes& outcomes,
                       const DrawnSamples& samples, int replicates) {
  const Dependence dependence = DependenceOf(measure.Influence(outcomes), samples.times);
  const auto value = dependence.WasFound() ? measure.ValueOf(outcomes) : std::nullopt;
  if (!value) return interval;
  return Widened(interval, *value, dependence.Widening(samples.share) * WideningOfDraws(replicates),
                 measure.Range());
}

}  // namespace

std::vector<uint64_t> KeyBits(std::span<const int64_t> keys, int64_t seed) {
  std::vector<uint64_t> bits(keys.size());
  const RandomKey stream{.seed = seed, .purpose = "bootstrap"};
  for (size_t i = 0; i < keys.size(); ++i) bits[i] = RandomBits(stream, keys[i]);
  return bits;
}

void DrawWeights(std::span<const uint64_t> key_bits, int64_t block,
                 std::span<const std::span<uint8_t>, 4> weights) {
  const uint64_t step = static_cast<uint64_t>(block + 1) * 0x9E3779B97F4A7C15U;
  for (size_t i = 0; i < key_bits.size(); ++i) {
    const uint64_t bits = Mix(key_bits[i] + step);
    for (size_t lane = 0; lane < kLanes; ++lane) weights[lane][i] = Draw(bits >> (16 * lane));
  }
}

void ForEachDraw(std::span<const int64_t> keys, int replicates, int64_t seed,
                 const std::function<void(std::span<const uint8_t> weights)>& take) {
  const std::vector<uint64_t> key_bits = KeyBits(keys, seed);
  std::vector<uint8_t> draws(kLanes * keys.size());
  std::array<std::span<uint8_t>, kLanes> lanes;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = std::span(draws).subspan(lane * keys.size(), keys.size());
  }
  for (int replicate = 0; replicate < replicates; ++replicate) {
    const int lane = replicate % kLanes;
    if (lane == 0) DrawWeights(key_bits, replicate / kLanes, lanes);
    take(lanes[static_cast<size_t>(lane)]);
  }
}

std::optional<Interval> PercentilesOf(std::span<const std::optional<double>> of_replicates) {
  std::vector<double> values;
  for (const std::optional<double>& value : of_replicates) {
    if (value) values.push_back(*value);
  }
  if (2 * values.size() < of_replicates.size() || values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Interval{.low = Quantile(values, 0.025), .high = Quantile(values, 0.975)};
}

std::vector<std::optional<Interval>> BootstrapIntervals(std::span<const MeasureSpec> measures,
                                                        const Outcomes& outcomes,
                                                        const DrawnSamples& samples, int replicates,
                                                        int64_t seed) {
  std::vector<std::optional<Interval>> intervals(measures.size());
  if (samples.keys.size() < 2) return intervals;
  std::vector<std::unique_ptr<ValueSeries>> series;
  for (const MeasureSpec& measure : measures) series.push_back(measure->NewSeries());
  Outcomes weighted = outcomes;
  ForEachDraw(samples.keys, replicates, seed, [&](std::span<const uint8_t> weights) {
    weighted.weights = weights;
    for (size_t i = 0; i < measures.size(); ++i) {
      if (measures[i]->HasValue()) series[i]->Add(weighted);
    }
  });
  for (size_t i = 0; i < measures.size(); ++i) {
    intervals[i] = PercentilesOf(series[i]->Values());
    if (intervals[i])
      intervals[i] = ForDependence(*intervals[i], *measures[i], outcomes, samples, replicates);
  }
  return intervals;
}

}  // namespace tidemill::evaluator
