// The `share` of a `training` section.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

// How trainings of one host that prepare the same samples at the same time share the work.
enum class Share { kOff, kWindow, kStrict };

inline constexpr std::string_view kShareDoc =
    "Whether trainings of equal sets, seeds, orders and graphs that run on one host at the same "
    "time prepare each sample once. Weights do not depend on it. window: while they are not too "
    "far apart; none waits for another. strict: the faster ones wait for the slowest, so that no "
    "sample is prepared twice. off: each prepares its own.";

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Share> {
  static constexpr std::pair<tidemill::models::Share, std::string_view> kNames[] = {
      {tidemill::models::Share::kOff, "off"},
      {tidemill::models::Share::kWindow, "window"},
      {tidemill::models::Share::kStrict, "strict"}};
};
