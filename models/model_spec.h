// The `model` section of a pipeline: which network to train.
//
//   model: {type: mlp, hidden: [64, 64], outputs: 2}
//   model: {type: convnet, channels: [32, 64], hidden: 128, outputs: 10}
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/config.h"

namespace tidemill::models {

struct Mlp {
  static constexpr std::string_view kType = "mlp";
  static constexpr std::string_view kDoc =
      "A multi-layer perceptron: layers of ReLU units over the flattened input.";
  std::vector<int64_t> hidden = {64};
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("hidden", hidden, "Units of each hidden layer; [] for a linear model.",
          {.min = 1, .max = 65536});
    field("outputs", outputs, "Numbers that the network gives: the classes, or 1 for a real label.",
          {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, "Share of hidden units silenced at random in each training step.",
          {.min = 0, .max = 0.95});
  }
  friend bool operator==(const Mlp&, const Mlp&) = default;
};

struct Convnet {
  static constexpr std::string_view kType = "convnet";
  static constexpr std::string_view kDoc =
      "A small convolutional network for images: blocks of 3x3 convolution, ReLU and 2x2 "
      "maximum, then one hidden layer.";
  std::vector<int64_t> channels = {32, 64};
  int64_t hidden = 128;
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("channels", channels, "Channels of each convolution.", {.min = 1, .max = 4096});
    field("hidden", hidden, "Units of the hidden layer.", {.min = 1, .max = 65536});
    field("outputs", outputs, "Numbers that the network gives: the classes, or 1 for a real label.",
          {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, "Share of hidden units silenced at random in each training step.",
          {.min = 0, .max = 0.95});
  }
  void Check(config::Problems& problems) const {
    if (channels.empty() || channels.size() > 6) {
      problems.Add("channels", "must name one to six convolutions", "write channels: [32, 64]");
    }
  }
  friend bool operator==(const Convnet&, const Convnet&) = default;
};

// A new network is one struct here and one builder in network.cc.
using ModelSpec = std::variant<Mlp, Convnet>;

// Numbers that a network of this spec gives for each sample.
inline int64_t NumOutputs(const ModelSpec& spec) {
  return std::visit([](const auto& network) { return network.outputs; }, spec);
}

}  // namespace tidemill::models
