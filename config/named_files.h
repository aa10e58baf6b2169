// The files that a part of a document names, wherever their bytes are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"

namespace tidemill::config {

// Thread-compatible.
class NamedFiles {
 public:
  virtual ~NamedFiles() = default;

  // Returns the bytes of a file. When there is a problem, notes it at the part's own `key` and
  // returns std::nullopt. A file of more than `most` bytes is a problem.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view key, Problems& problems) = 0;
};

}  // namespace tidemill::config
