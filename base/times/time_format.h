// How the times of a dataset are written.
#pragma once

#include <string>

#include "base/times/time_zone.h"

namespace tidemill {

// docs/guides/times.md explains the members.
struct TimeFormat {
  std::string format = {};  // Empty: a notation that needs none.
  std::string time_zone = "UTC";
  AmbiguousTime ambiguous = AmbiguousTime::kFirst;
  bool any_year = false;  // For numbers.
};

}  // namespace tidemill
