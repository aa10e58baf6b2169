// What methods do alike that choose by one score of each sample.
#pragma once

#include <memory>

#include "subsets/sampling.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/methods/scored.h"

namespace tidemill::trainer_server {

// With the question for a score, as the spec says.
Judging JudgingOf(const Scored& spec, ScoreOf score);

// Draws with probabilities in proportion to scores.
std::unique_ptr<const JudgingMethod> MakeDrawing(const Drawn& spec, Judging judging);

// Takes the samples with the first scores.
std::unique_ptr<const JudgingMethod> MakeRanking(Judging judging, subsets::Best best);

}  // namespace tidemill::trainer_server
