// Optimisers made from specs, and their state as arrays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "models/network.h"
#include "models/safetensors.h"
#include "models/training_spec.h"

namespace tidemill::models {

// An optimiser over a network's parameters. Thread-compatible.
class Optimizer {
 public:
  Optimizer(const OptimizerSpec& spec, const Network& network);

  // These throw c10::Error: call them in Guard().
  void ZeroGradients() { optimizer_->zero_grad(); }
  void Step() { optimizer_->step(); }

  // Adds the state, all that later steps depend on, under names that start with `prefix`. The
  // arrays are views of `kept`.
  void Save(const std::string& prefix, TensorFile& file, std::vector<torch::Tensor>& kept);
  // Replaces the state by what Save() wrote. DATA_LOSS when it does not fit.
  absl::Status Load(const std::string& prefix, const TensorFile& file);

 private:
  // Parameters in a fixed order, with names.
  std::vector<std::pair<std::string, torch::Tensor>> parameters_;
  bool is_adam_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace tidemill::models
