// What a training loop calls between batches, for tests in which it has nothing to do there.
#pragma once

#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server::testing {

inline absl::Status Nothing(TrainingLoop&) { return absl::OkStatus(); }

}  // namespace tidemill::trainer_server::testing
