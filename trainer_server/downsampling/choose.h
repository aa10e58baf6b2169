// Chooses the samples of a period of epochs from the scored samples.
#pragma once

#include <cstdint>

#include "base/numbers/random.h"
#include "base/status.h"
#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {

// Chooses `k` of the samples that were scored, or all if there are fewer. A sample whose score or
// gradient is not finite is not chosen. For methods documented as unbiased, sum(w x) / (number
// chosen) with the weights w estimates the mean of x over all judged samples. It is a pure
// function. The order in which samples were seen matters for systematic draws only.
// FAILED_PRECONDITION when no sample has a finite score.
absl::StatusOr<Choice> Choose(const JudgingMethod& method, const Seen& seen, int64_t k,
                              const RandomKey& random);

}  // namespace tidemill::trainer_server
