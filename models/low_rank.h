// Low-rank additions to the weights of linear layers; see training/lora_spec.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "base/status.h"
#include "models/training/lora_spec.h"

namespace tidemill::models {

struct Network;

// The additions of one network. Thread-compatible. Methods throw c10::Error: call them in Guard().
class LowRank {
 public:
  // Adds them to a network, and freezes the weights that they are added to. Draws from torch's
  // global generator. INVALID_ARGUMENT when a pattern matches no linear layer.
  static absl::Status Add(const Lora& spec, Network& network);

  // Gives each layer its weights with what is added to them, for the next passes through the
  // network. Gradients flow to the additions.
  void Apply() const;

  // Moves the additions to a device.
  void To(torch::Device device);

  // The matrices by names such as "lora.layer1.attention.a", in a fixed order.
  std::vector<std::pair<std::string, torch::Tensor>> State() const;

  // The weights with what is added to them, by the names of the weights.
  std::vector<std::pair<std::string, torch::Tensor>> Merged() const;

  // Whether a layer with additions is within the module of that name.
  bool IsIn(const std::string& module) const;

 private:
  struct Layer {
    std::string name;
    torch::Tensor weight;
    torch::Tensor a;
    torch::Tensor b;
    std::function<void(const torch::Tensor&)> set;
  };

  explicit LowRank(double factor) : factor_(factor) {}
  torch::Tensor WeightOf(const Layer& layer) const;

  const double factor_;
  std::vector<Layer> layers_;
};

}  // namespace tidemill::models
