// The part of a pipeline's `training` section that says which trainer servers may train it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/config.h"

namespace tidemill::models {

struct PlacementSpec {
  static constexpr std::string_view kDoc =
      "Which trainer servers may fit and train. The result does not depend on it, apart from the "
      "device.";
  std::map<std::string, std::string> labels = {};

  void Fields(auto&& field) {
    field("labels", labels,
          "Only trainer servers that have all these labels, as `trainer_server.labels` of their "
          "configuration says. A training waits for one.",
          {.required = true, .example = "{gpu: h100}"});
  }
  friend bool operator==(const PlacementSpec&, const PlacementSpec&) = default;
};

}  // namespace tidemill::models
