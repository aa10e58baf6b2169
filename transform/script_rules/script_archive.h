// Reads the records of a TorchScript file out of its last bytes, without libtorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "transform/script_rules/script_file.h"

namespace tidemill::models {

// The table of contents of an archive, which is at its end, and the records in the given bytes.
// Refers to these bytes.
class ScriptArchive {
 public:
  // `tail`: the last bytes of a file of `file_bytes` bytes. INVALID_ARGUMENT when they do not end
  // with the table of contents of an archive as libtorch writes it, or contain only a part of it.
  static absl::StatusOr<ScriptArchive> Open(std::string_view tail, uint64_t file_bytes);

  const std::vector<ScriptRecord>& records() const { return records_; }

  // std::nullopt when the record begins before the given bytes. INVALID_ARGUMENT when it cannot be
  // unpacked.
  absl::StatusOr<std::optional<std::string>> Read(size_t index) const;

 private:
  struct Place {
    uint64_t packed = 0;
    uint64_t at = 0;
    uint16_t method = 0;
  };
  ScriptArchive(std::string_view tail, uint64_t file_bytes)
      : tail_(tail), file_bytes_(file_bytes) {}
  absl::Status AddRecords(uint64_t begin, uint64_t size);

  std::string_view tail_;
  uint64_t file_bytes_ = 0;
  std::vector<ScriptRecord> records_;
  std::vector<Place> places_;
};

// Does the same as CheckScript(), with the last bytes of a file. The bytes before them are not
// checked.
absl::Status CheckScriptTail(std::string_view tail, uint64_t file_bytes);

}  // namespace tidemill::models
