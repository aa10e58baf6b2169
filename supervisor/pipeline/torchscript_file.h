// Checks by its edges whether a file is a TorchScript module that may run here, because nobody
// loads it before a training.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::supervisor {

// The most bytes of a network's file.
inline constexpr int64_t kMostNetworkBytes = int64_t{1} << 30;

// Looks at a file piece by piece. A value.
class TorchScriptLook {
 public:
  void Add(std::string_view bytes);

  // INVALID_ARGUMENT when the file is not a module. The message says what `name` is instead: not an
  // archive, truncated, or weights without a program. Also when it holds what a script may not
  // (models/script), with the line of its code. libtorch writes code and pickles behind all
  // weights: those that lie further ahead than the bytes kept are checked only by who runs them.
  absl::Status Judge(const std::string& name) const;

 private:
  uint64_t file_bytes_ = 0;
  std::string head_;
  std::string tail_;  // Up to 4 MiB. The archive's table of contents is there.
};

}  // namespace tidemill::supervisor
