// Gives a network the weights of a file, such as those of a pretrained network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "models/network.h"
#include "models/training/start_from_spec.h"

namespace tidemill::models {

// What a network has taken of a file.
struct TakenWeights {
  int64_t num_taken = 0;
  // The arrays of the network that keep their random start, though an entry names them or none
  // does.
  std::vector<std::string> fresh;
  // The arrays of the files that no array of the network has taken.
  std::vector<std::string> unused;

  // "training.start_from: 318 of 320 arrays were taken; 2 keep their random start: fc.weight,
  // fc.bias".
  std::string Describe() const;
};

// Copies arrays of safetensors files into the network, as `spec` says. Numbers of 16 bits become
// those of the network. FAILED_PRECONDITION names the arrays that are missing and those that have
// another shape. DATA_LOSS when the bytes are not safetensors files. Throws c10::Error: call it in
// Guard().
absl::StatusOr<TakenWeights> TakeWeights(const StartFrom& spec,
                                         const std::vector<std::string>& files,
                                         const Network& network);

// Freezes the parameters that a pattern matches. INVALID_ARGUMENT when a pattern matches none, or
// when nothing is left to train.
absl::Status Freeze(const std::vector<std::string>& patterns, const Network& network);

// Puts the network into training mode, except for layers all of whose parameters are frozen.
void BeginTrainingMode(const Network& network);

}  // namespace tidemill::models
