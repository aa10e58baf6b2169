// The checkpoint of a training that a program makes.
//
//   one line of JSON: what this process knows | the bytes that the program wants to have again
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "trainer_server/training/loss_curve.h"
#include "trainer_server/training/training_counters.h"

namespace tidemill::trainer_server {

struct ProgramState {
  TrainingCounters counters = {};
  // Whether the last batch of an epoch has been given to the program. The epoch ends with the next
  // batch: reports about it are still to come.
  bool ends_epoch = false;
  // The rows that the program has taken since its last report of a loss.
  int64_t num_unreported = 0;
  LossCurve curve = {};
  // The program's own, opaque: only its process reads it.
  std::string of_program = {};
};

std::string EncodeProgramState(const ProgramState& state);

// DATA_LOSS when the bytes are not such a checkpoint.
absl::StatusOr<ProgramState> DecodeProgramState(std::string_view bytes);

}  // namespace tidemill::trainer_server
