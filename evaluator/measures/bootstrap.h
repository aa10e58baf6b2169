// Intervals by the bootstrap: how much a value may vary between samples from the same population.
// They are widened where samples follow one another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

struct Interval {
  double low = 0;
  double high = 0;
};

// Draws how often each sample counts in the four replicates from `4 * block` on. The numbers come
// from the Poisson distribution of mean 1, truncated at 8. They depend on (seed, key, replicate)
// alone, so that neither order nor grouping matters. This is the "Poisson bootstrap" of Chamandy et
// al., "Estimating Uncertainty for Massive Data Streams" (2012). Each of `weights` has the length
// of `key_bits`.
void DrawWeights(std::span<const uint64_t> key_bits, int64_t block,
                 std::span<const std::span<uint8_t>, 4> weights);

// Returns the bits of each key for DrawWeights().
std::vector<uint64_t> KeyBits(std::span<const int64_t> keys, int64_t seed);

// The samples that draws are made from, in the order of time.
struct DrawnSamples {
  std::span<const int64_t> keys = {};
  // Their event times; empty when these are not known.
  std::span<const int64_t> times = {};
  // The share that they are of all samples of the window, from which chance drew them.
  double share = 1;
};

// Calls `take` with the weights of each replicate, one after another. They are valid during the
// call.
void ForEachDraw(std::span<const int64_t> keys, int replicates, int64_t seed,
                 const std::function<void(std::span<const uint8_t> weights)>& take);

// Returns the 2.5th and the 97.5th percentile of the values of replicates, interpolated.
// std::nullopt when more than half of them are undefined.
std::optional<Interval> PercentilesOf(std::span<const std::optional<double>> of_replicates);

// Returns, for each measure, the 2.5th and the 97.5th percentile over the replicates, interpolated.
// Absent when the measure is undefined for more than half of them, or when there are fewer than two
// samples. Time grows with samples x replicates x measures, memory with samples.
//
// Where samples follow one another, the bounds are moved away from the value by
// Dependence::Widening(); dependence.h describes it. They are moved on a scale on which the range
// of the measure has no end: by the logarithm of the odds for shares, by the logarithm for errors.
//
// Percentile intervals have known weaknesses. A value at a bound, such as an accuracy of 1, has an
// interval of width zero. Intervals of fewer than some 30 samples are too narrow.
std::vector<std::optional<Interval>> BootstrapIntervals(std::span<const MeasureSpec> measures,
                                                        const Outcomes& outcomes,
                                                        const DrawnSamples& samples, int replicates,
                                                        int64_t seed);

}  // namespace tidemill::evaluator
