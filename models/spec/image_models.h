// Networks over images: rows of shape [height, width] or [channels, height, width].
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "models/spec/dense_models.h"

namespace tidemill::models {

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
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  void Check(config::Problems& problems) const {
    if (channels.empty() || channels.size() > 6) {
      problems.Add("channels", "must name one to six convolutions", "write channels: [32, 64]");
    }
  }
  friend bool operator==(const Convnet&, const Convnet&) = default;
};

enum class Stem { kAuto, kSmall, kStandard };

struct Resnet18 {
  static constexpr std::string_view kType = "resnet18";
  static constexpr std::string_view kDoc =
      "ResNet-18 (He et al., 2016) for images of at least 16x16: four stages of two residual "
      "blocks with batch normalisation.";
  int64_t outputs = 1;
  Stem stem = Stem::kAuto;
  int64_t width = 64;

  void Fields(auto&& field) {
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("stem", stem,
          "How it begins: `small`, a 3x3 convolution that keeps the size, `standard`, a 7x7 "
          "convolution and a maximum that quarter it; `auto` takes small up to 64 pixels.");
    field("width", width, "Channels of the first stage; each later one has twice as many.",
          {.min = 1, .max = 1024});
  }
  friend bool operator==(const Resnet18&, const Resnet18&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Stem> {
  static constexpr std::pair<tidemill::models::Stem, std::string_view> kNames[] = {
      {tidemill::models::Stem::kAuto, "auto"},
      {tidemill::models::Stem::kSmall, "small"},
      {tidemill::models::Stem::kStandard, "standard"}};
};
