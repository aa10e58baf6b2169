// The `share` of a `training` section.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

// How trainings of one host that prepare the same samples at the same time share the work.
enum class Share { kOff, kWindow, kStrict };

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Share> {
  static constexpr std::pair<tidemill::models::Share, std::string_view> kNames[] = {
      {tidemill::models::Share::kOff, "off"},
      {tidemill::models::Share::kWindow, "window"},
      {tidemill::models::Share::kStrict, "strict"}};
};
