// The `last_batch` of a `training` section.
#pragma once

#include <string_view>
#include <utility>

#include "config/config.h"

namespace tidemill::models {

// What happens to the last batch of an epoch when too few samples are left for it.
enum class LastBatch { kKeep, kDrop, kWrap };

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::LastBatch> {
  static constexpr std::pair<tidemill::models::LastBatch, std::string_view> kNames[] = {
      {tidemill::models::LastBatch::kKeep, "keep"},
      {tidemill::models::LastBatch::kDrop, "drop"},
      {tidemill::models::LastBatch::kWrap, "wrap"}};
};
