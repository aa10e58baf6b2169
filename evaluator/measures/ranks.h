// Scores as ranks: what measures of ranking depend on. Ranked once, samples can be weighted again
// and again without being sorted again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// The place of each number among the different ones, from 0 for the least; equal numbers share a
// place. NaN is less than every number.
std::vector<int32_t> DenseRanks(std::span<const float> numbers);

// Samples of one rank, by what they are.
struct RankCount {
  int64_t positives = 0;
  int64_t negatives = 0;
};

// A measure of a two-class ranking, `ranks` from the least on; std::nullopt where undefined.
using OfRanking = std::optional<double> (*)(std::span<const RankCount> ranks);

// With two classes that of class 1; with more the mean over those of each class against the rest,
// as far as they are defined.
std::optional<double> MeanOverClasses(const Outcomes& outcomes, OfRanking of_ranking);

}  // namespace tidemill::evaluator
