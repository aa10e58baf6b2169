// A callback between batches for tests in which a training loop has nothing to do there.
#pragma once

#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server::testing {

inline absl::Status Nothing(TrainingLoop&) { return absl::OkStatus(); }

}  // namespace tidemill::trainer_server::testing
