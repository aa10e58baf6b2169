// How the times of a dataset are written.
#pragma once

#include <string>

#include "base/times/time_zone.h"

namespace tidemill {

// docs/guides/times.md says what each means.
struct TimeFormat {
  std::string format = {};  // Empty: one of the ways that need none.
  std::string time_zone = "UTC";
  AmbiguousTime ambiguous = AmbiguousTime::kFirst;
  bool any_year = false;  // Of numbers.
};

}  // namespace tidemill
