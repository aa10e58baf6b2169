// The `training` section of a pipeline: how to train.
//
//   training:
//     epochs: 2
//     batch_size: 128
//     optimizer: {type: adam, lr: 1e-3}
//     loss: cross_entropy
//     warm_start: true
//     seed: 42
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/config.h"
#include "models/model_spec.h"

namespace tidemill::models {

enum class Device { kAuto, kCpu, kCuda };
enum class Loss { kCrossEntropy, kMse };
enum class Fit { kFirstTrigger, kEachTrigger };

struct Sgd {
  static constexpr std::string_view kType = "sgd";
  static constexpr std::string_view kDoc = "Stochastic gradient descent.";
  double lr = 0.01;
  double momentum = 0;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000, .required = true, .example = "0.01"});
    field("momentum", momentum, "Share of the last step that is kept in the next.",
          {.min = 0, .max = 0.9999});
    field("weight_decay", weight_decay, "L2 penalty on the weights.", {.min = 0});
  }
  friend bool operator==(const Sgd&, const Sgd&) = default;
};

struct Adam {
  static constexpr std::string_view kType = "adam";
  static constexpr std::string_view kDoc = "Adam (Kingma and Ba, 2015).";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("beta1", beta1, "Decay of the mean of the gradients.", {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of their squares.", {.min = 0, .max = 0.999999});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, "L2 penalty on the weights.", {.min = 0});
  }
  friend bool operator==(const Adam&, const Adam&) = default;
};

// A new optimiser is one struct here and one line in optimizer.cc.
using OptimizerSpec = std::variant<Sgd, Adam>;

struct TrainingSpec {
  Device device = Device::kAuto;
  int64_t epochs = 1;
  int64_t batch_size = 128;
  OptimizerSpec optimizer = Adam{};
  Loss loss = Loss::kCrossEntropy;
  bool warm_start = true;
  int64_t seed = 0;
  std::optional<Fit> fit = std::nullopt;
  bool shuffle = true;
  int64_t checkpoint_every = 1'000'000;
  std::optional<int64_t> num_threads = std::nullopt;
  double max_bad_fraction = 0.1;

  void Fields(auto&& field) {
    field("device", device, "Where to train; `auto` takes a GPU when there is one.");
    field("epochs", epochs, "Passes over the training set.", {.min = 1, .max = 1e6});
    field("batch_size", batch_size, "Samples in one step of the optimizer.",
          {.min = 1, .max = 1'048'576});
    field("optimizer", optimizer, "How weights follow gradients.");
    field("loss", loss, "`cross_entropy` for class labels, `mse` for real ones.");
    field("warm_start", warm_start,
          "Start from the model of the trigger before instead of a fresh initialisation.");
    field("seed", seed, "Seeds initialisation, shuffling and dropout.", {.min = 0});
    field("fit", fit,
          "When ops that learn from data do so: at the first trigger (the default with warm_start) "
          "or at each_trigger (the default without).");
    field("shuffle", shuffle, "Visit the samples in a new random order in each epoch.");
    field("checkpoint_every", checkpoint_every,
          "Samples between two checkpoints, from which an interrupted training goes on.",
          {.min = 1});
    field("num_threads", num_threads,
          "Threads of the arithmetic on a CPU, by default 1 for an mlp of small layers, else 2. "
          "Weights are reproducible for the same number.",
          {.min = 1, .max = 1024});
    field("max_bad_fraction", max_bad_fraction,
          "Share of samples that may be unreadable before the training fails.",
          {.min = 0, .max = 1});
  }

  // `fit` with its default.
  Fit EffectiveFit() const {
    return fit.value_or(warm_start ? Fit::kFirstTrigger : Fit::kEachTrigger);
  }
  friend bool operator==(const TrainingSpec&, const TrainingSpec&) = default;
};

// `num_threads` with its default, which depends on nothing but the specs.
inline int64_t NumThreads(const TrainingSpec& training, const ModelSpec& model) {
  constexpr int64_t kSmallLayer = 256;
  const auto* const mlp = std::get_if<Mlp>(&model);
  const bool is_small = mlp != nullptr && std::all_of(mlp->hidden.begin(), mlp->hidden.end(),
                                                      [](int64_t n) { return n <= kSmallLayer; });
  return training.num_threads.value_or(is_small ? 1 : 2);
}

}  // namespace tidemill::models

namespace tidemill::config {

template <>
struct EnumNames<models::Device> {
  static constexpr std::pair<models::Device, std::string_view> kNames[] = {
      {models::Device::kAuto, "auto"},
      {models::Device::kCpu, "cpu"},
      {models::Device::kCuda, "cuda"}};
};
template <>
struct EnumNames<models::Loss> {
  static constexpr std::pair<models::Loss, std::string_view> kNames[] = {
      {models::Loss::kCrossEntropy, "cross_entropy"}, {models::Loss::kMse, "mse"}};
};
template <>
struct EnumNames<models::Fit> {
  static constexpr std::pair<models::Fit, std::string_view> kNames[] = {
      {models::Fit::kFirstTrigger, "first_trigger"}, {models::Fit::kEachTrigger, "each_trigger"}};
};

}  // namespace tidemill::config
