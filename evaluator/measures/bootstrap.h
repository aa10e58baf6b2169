// How far a value would be from another one of its kind: intervals by the bootstrap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

struct Interval {
  double low = 0;
  double high = 0;
};

// How often each sample counts in four replicates, `4 * block` and on: draws from the Poisson
// distribution of mean 1, truncated at 8, that depend on (seed, key, replicate) alone, so that
// neither order nor grouping matters (the "Poisson bootstrap": Chamandy et al., "Estimating
// Uncertainty for Massive Data Streams", 2012). Each of `weights` has the length of `key_bits`.
void DrawWeights(std::span<const uint64_t> key_bits, int64_t block,
                 std::span<const std::span<uint8_t>, 4> weights);

// Bits of each key for DrawWeights.
std::vector<uint64_t> KeyBits(std::span<const int64_t> keys, int64_t seed);

// For each measure the 2.5th and the 97.5th percentile over the replicates, interpolated. Absent
// where the measure is undefined for more than half of them, and for fewer than two samples. `keys`
// are those of the samples. Time grows with samples x replicates x measures, memory with samples.
//
// Known of percentile intervals: a value on the edge, such as an accuracy of 1, has an interval
// without width, and those of fewer than some 30 samples are too narrow.
std::vector<std::optional<Interval>> BootstrapIntervals(std::span<const MeasureSpec> measures,
                                                        const Outcomes& outcomes,
                                                        std::span<const int64_t> keys,
                                                        int replicates, int64_t seed);

}  // namespace tidemill::evaluator
