// The version that every program of a build tree reports.
#pragma once

namespace tidemill {

inline constexpr char kVersion[] = "0.8.0";

}  // namespace tidemill
