// Checks from the beginning and the end of a file whether it is a TorchScript module that may run
// here, because no process loads it before a training.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::supervisor {

// The most bytes of a network's file.
inline constexpr int64_t kMaxNetworkBytes = int64_t{1} << 30;

// Checks a file piece by piece. A value.
class TorchScriptLook {
 public:
  void Add(std::string_view bytes);

  // INVALID_ARGUMENT when the file is not a module. The message says what `name` is instead: not an
  // archive, truncated, or weights without a program. Also when it holds what a script may not
  // (models/script), with the line of its code. libtorch writes code and pickles after all weights:
  // those beyond the bytes kept are checked only when they are run.
  absl::Status Judge(const std::string& name) const;

 private:
  uint64_t file_bytes_ = 0;
  std::string head_;
  std::string tail_;  // Up to 4 MiB, with the archive's table of contents.
};

}  // namespace tidemill::supervisor
