// Makes optimisers from specs, and converts their state to arrays.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "models/network.h"
#include "models/optimizer_module.h"
#include "models/torch/safetensors.h"
#include "models/training/training_spec.h"

namespace tidemill::models {

// The optimisers of a network's parameters. Each parameter has one optimiser. Thread-compatible.
// Methods without a file throw c10::Error: call them in Guard().
class Optimizer {
 public:
  // INVALID_ARGUMENT when a pattern matches no parameter, or a parameter matches no pattern.
  static absl::StatusOr<Optimizer> Make(const std::vector<ModuleOptimizer>& specs,
                                        const Network& network);

  // Removes the gradients. The next step skips parameters without one.
  void ZeroGradients();
  void ScaleGradients(double factor);
  // Whether every gradient is a finite number. Waits for the device.
  bool HasFiniteGradients() const;
  // Limits the gradients. Returns false when their norm is not finite.
  bool ClipGradients(const GradientClipping& clipping);
  // Makes a step with the learning rates of the specs times `factor`.
  void Step(double factor);
  // The same with a factor for each spec, in the order of Make().
  void Step(std::span<const double> factors);

  // Adds the whole state that later steps depend on, under names that begin with `prefix`. The
  // arrays are views of `kept`.
  void Save(const std::string& prefix, TensorFile& file, std::vector<torch::Tensor>& kept);
  // Loads a state that Save() wrote. DATA_LOSS when it does not fit.
  absl::Status Load(const std::string& prefix, const TensorFile& file);

 private:
  using Parameters = std::vector<std::pair<std::string, torch::Tensor>>;

  struct Group {
    std::unique_ptr<OptimizerModule> module;
    double lr = 0;
    size_t spec = 0;        // Its place among the specs.
    Parameters parameters;  // In a fixed order, with names.
    std::unique_ptr<torch::optim::Optimizer> optimizer;
  };

  Optimizer() = default;
  absl::Status LoadGroup(const std::string& prefix, const TensorFile& file, Group& group);

  std::vector<Group> groups_;
};

}  // namespace tidemill::models
