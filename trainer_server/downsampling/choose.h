// Which of the scored samples a period of epochs is trained on.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/status.h"
#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {

// Chooses `k` of the samples by what was seen of them, all those that can be when there are fewer.
// A sample whose score or gradient is not finite is not chosen. Weights are such that
// sum(w x) / (number chosen) estimates the mean of x over all that were judged, where the method
// says so. A pure function: the order in which samples were seen does not matter but for systematic
// draws. FAILED_PRECONDITION when no sample has a finite score.
absl::StatusOr<Choice> Choose(const JudgingMethod& method, const Seen& seen, int64_t k,
                              const RandomKey& random);

}  // namespace tidemill::trainer_server
