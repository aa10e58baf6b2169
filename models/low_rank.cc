#include "models/low_rank.h"

#include <fnmatch.h>

#include <cmath>

#include "models/network.h"

namespace tidemill::models {
namespace {

constexpr std::string_view kWeight = ".weight";

}  // namespace

absl::Status LowRank::Add(const Lora& spec, Network& network) {
  std::shared_ptr<LowRank> made(new LowRank(spec.alpha / static_cast<double>(spec.rank)));
  std::vector<bool> has_matched(spec.layers.size());
  std::string any_layer;
  for (const auto& item : network.module->named_parameters()) {
    if (!item.key().ends_with(kWeight)) continue;
    const std::string name = item.key().substr(0, item.key().size() - kWeight.size());
    auto set = network.module->WeightSetter(name);
    if (!set) continue;
    any_layer = name;
    bool is_wanted = false;
    for (size_t i = 0; i < spec.layers.size(); ++i) {
      if (fnmatch(spec.layers[i].c_str(), name.c_str(), 0) != 0) continue;
      has_matched[i] = true;
      is_wanted = true;
    }
    if (!is_wanted) continue;
    torch::Tensor weight = item.value();
    weight.set_requires_grad(false);
    torch::Tensor a = torch::empty({spec.rank, weight.size(1)}, weight.options());
    torch::nn::init::kaiming_uniform_(a, std::sqrt(5.0));  // As a linear layer begins.
    made->layers_.push_back(
        {.name = name,
         .weight = weight,
         .a = a.set_requires_grad(true),
         .b = torch::zeros({weight.size(0), spec.rank}, weight.options()).set_requires_grad(true),
         .set = std::move(set)});
  }
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    if (has_matched[i]) continue;
    return InvalidArgument(
        "training.lora: no linear layer's name matches '{}'{}", spec.layers[i],
        any_layer.empty() ? "; the network has none" : "; there is " + any_layer);
  }
  network.low_rank = std::move(made);
  return absl::OkStatus();
}

torch::Tensor LowRank::WeightOf(const Layer& layer) const {
  return layer.weight + factor_ * torch::mm(layer.b, layer.a);
}

void LowRank::Apply() const {
  for (const Layer& layer : layers_) layer.set(WeightOf(layer));
}

void LowRank::To(torch::Device device) {
  for (Layer& layer : layers_) {
    layer.a.set_data(layer.a.to(device));
    layer.b.set_data(layer.b.to(device));
  }
}

std::vector<std::pair<std::string, torch::Tensor>> LowRank::State() const {
  std::vector<std::pair<std::string, torch::Tensor>> state;
  for (const Layer& layer : layers_) {
    state.emplace_back("lora." + layer.name + ".a", layer.a);
    state.emplace_back("lora." + layer.name + ".b", layer.b);
  }
  return state;
}

std::vector<std::pair<std::string, torch::Tensor>> LowRank::Merged() const {
  const torch::NoGradGuard no_gradients;
  std::vector<std::pair<std::string, torch::Tensor>> merged;
  for (const Layer& layer : layers_) {
    merged.emplace_back(layer.name + std::string(kWeight), WeightOf(layer));
  }
  return merged;
}

bool LowRank::IsIn(const std::string& module) const {
  for (const Layer& layer : layers_) {
    if (layer.name == module || layer.name.starts_with(module + ".")) return true;
  }
  return false;
}

}  // namespace tidemill::models
