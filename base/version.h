// The version that every program of a build tells.
#pragma once

namespace tidemill {

inline constexpr char kVersion[] = "0.7.0";

}  // namespace tidemill
