// The files that a part of a document names, wherever their bytes are.
#pragma once

#include <cstddef>
#include <functional>
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

  // A file of which a part keeps less than its bytes.
  struct Packed {
    std::string name;
    size_t most = 0;       // Bytes of the file.
    std::string contents;  // Which part of the file is kept: what else `pack` depends on.
    std::string_view key;
    // Returns what is kept of the bytes, or std::nullopt after a problem.
    std::function<std::optional<std::string>(std::string bytes)> pack;
  };
  // Returns what is kept of a file, or std::nullopt after a problem. A file that came packed is not
  // packed once more.
  virtual std::optional<std::string> ReadPacked(const Packed& file, Problems& problems) {
    auto bytes = Read(file.name, file.most, file.key, problems);
    if (!bytes) return std::nullopt;
    return file.pack(*std::move(bytes));
  }
};

}  // namespace tidemill::config
