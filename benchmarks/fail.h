// How benchmarks give up: they say why, and end the program as std::exit() does.
#pragma once

#include <cstdlib>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "base/status.h"

namespace tidemill::benchmarks {

[[noreturn]] inline void Fail(std::string_view why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

inline void Require(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

template <typename T>
T Require(absl::StatusOr<T> value) {
  Require(value.status());
  return *std::move(value);
}

}  // namespace tidemill::benchmarks
