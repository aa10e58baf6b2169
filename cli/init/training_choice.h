// Guesses the model, the trigger, the training and the measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/init/guess.h"

namespace tidemill::cli {

// The inputs of the choice.
struct TrainingFacts {
  std::string dataset = {};
  int64_t num_samples = 0;     // The estimated number.
  int64_t num_classes = 0;     // 0: regression.
  bool is_unbalanced = false;  // One class is rare.
  int64_t vocabulary = 0;      // The ids of a text; else 0.
  bool is_image = false;
  bool time_is_known = false;
  Duration span = {};  // From the first to the last time.
};

// The sections `model`, `trigger`, `selection`, `training` and `evaluation`, in this order.
std::vector<Guess> ChooseTraining(const TrainingFacts& facts);

int64_t WholeDays(Duration span);

// Returns the number with all digits but the first one set to 0; 1 at least.
int64_t RoundDown(int64_t number);

}  // namespace tidemill::cli
