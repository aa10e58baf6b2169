// Turns scores into ranks, which measures of ranking depend on. Ranked samples can be weighted many
// times without sorting them again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// Returns the place of each number among the distinct numbers, from 0 for the least. Equal numbers
// share a place. NaN is less than every number.
std::vector<int32_t> DenseRanks(std::span<const float> numbers);

// The samples of one rank, counted by whether they are of the class.
struct RankCount {
  int64_t positives = 0;
  int64_t negatives = 0;
};

// A measure of a two-class ranking. `ranks` begins with the least. std::nullopt when it is
// undefined.
using OfRanking = std::optional<double> (*)(std::span<const RankCount> ranks);

// The influence of a positive and of a negative of one rank on the value.
struct RankInfluence {
  double of_positive = 0;
  double of_negative = 0;
};
// Returns one for each rank. Empty when the measure is undefined.
using InfluenceOfRanking = std::vector<RankInfluence> (*)(std::span<const RankCount> ranks);

// With two classes, returns the measure of class 1. With more, returns the mean over each class
// against the rest, leaving out undefined ones.
std::optional<double> MeanOverClasses(const Outcomes& outcomes, OfRanking of_ranking);

// Returns the influence of each sample on MeanOverClasses(), as Accumulator::Influence() does.
std::vector<double> InfluenceOverClasses(const Outcomes& outcomes, InfluenceOfRanking of_ranking);

}  // namespace tidemill::evaluator
