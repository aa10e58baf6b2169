// Chooses on which of the scored samples a period of epochs is trained.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/status.h"
#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {

// Chooses `k` of the samples from what was seen of them, or fewer if there are fewer. A sample
// whose score or gradient is not finite is not chosen. With methods that say so, sum(w x) / (number
// chosen) with the weights w estimates the mean of x over all judged samples. It is a pure
// function. The order in which samples were seen matters for systematic draws only.
// FAILED_PRECONDITION when no sample has a finite score.
absl::StatusOr<Choice> Choose(const JudgingMethod& method, const Seen& seen, int64_t k,
                              const RandomKey& random);

}  // namespace tidemill::trainer_server
