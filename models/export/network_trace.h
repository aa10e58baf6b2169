// Writes a network as TorchScript.
#pragma once

#include "torch/script.h"

#include "base/status.h"
#include "models/network.h"

namespace tidemill::models {

// Returns the network, in evaluation mode, as a module. A network that is a program of a user is
// returned with its weights, and does not run. Throws c10::Error: call it in Guard().
absl::StatusOr<torch::jit::Module> NetworkScript(const Network& network);

// Runs the module and the network on generated batches of two sizes. INTERNAL unless both agree
// within the rounding of float32. Not for programs of users: it runs the module.
absl::Status CompareScript(const Network& network, torch::jit::Module& module);

}  // namespace tidemill::models
