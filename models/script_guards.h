// Makes a loaded TorchScript check what libtorch takes on trust: a file made by hand may claim what
// is not so.
#pragma once

#include <string>
#include <vector>

#include "torch/script.h"

#include "base/status.h"

namespace tidemill::models {

// INVALID_ARGUMENT unless each attribute of the module, and of the objects in it, is of the type
// that the code states. libtorch finds attributes by their place, so an object of another class
// would be read out of bounds. Returns the tensors in them.
absl::StatusOr<std::vector<torch::Tensor>> CheckObjects(const torch::jit::Module& module);

// Adds the tensors that are constants of a function.
void AddConstants(const torch::jit::Graph& graph, std::vector<torch::Tensor>& tensors);

// Gives tensors that share memory the same notice of changes. libtorch then refuses to
// use what was saved for the backward pass and has changed since; indices are not checked again
// there.
void ShareVersions(const std::vector<torch::Tensor>& tensors);

// Lets a function check at its run time each cast, and the arguments of the operators that need it
// (script_arguments.h). INVALID_ARGUMENT when a constant argument is refused already.
absl::Status GuardFunction(const std::string& name, torch::jit::Graph& graph);

}  // namespace tidemill::models
