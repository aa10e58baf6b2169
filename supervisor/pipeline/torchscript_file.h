// Whether a file may be a TorchScript module, told by its edges: nobody loads it before a training.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::supervisor {

// The most that a network's file may have.
inline constexpr int64_t kMostNetworkBytes = int64_t{1} << 30;

// Looks at a file that goes by in pieces. A value.
class TorchScriptLook {
 public:
  void Add(std::string_view bytes);

  // INVALID_ARGUMENT, with what `name` is instead: no archive, one that is cut off, or one of
  // weights without a program.
  absl::Status Judge(const std::string& name) const;

 private:
  std::string head_;
  std::string tail_;  // Up to 2 MiB; the archive's list of what is in it lies there.
};

}  // namespace tidemill::supervisor
