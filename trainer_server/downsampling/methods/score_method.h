// Shared code of the methods that choose by one score of each sample.
#pragma once

#include <memory>
#include <optional>

#include "subsets/sampling.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

// Returns the question for a score, with the settings of the spec. Without a score, the caller must
// complete the question.
Judging JudgingOf(const Scored& spec, std::optional<ScoreOf> score);

// Draws samples with probabilities in proportion to their scores.
std::unique_ptr<const JudgingMethod> MakeDrawing(const Drawn& spec, Judging judging);

// Chooses the samples that rank first by their scores.
std::unique_ptr<const JudgingMethod> MakeRanking(Judging judging, subsets::Best best);

}  // namespace tidemill::trainer_server
