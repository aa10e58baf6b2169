// Checkpoints of one training: files that are whole or ignored.
//
//   64 hexadecimal digits: SHA-256 of the rest | payload
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

struct StoredCheckpoint {
  // Batches trained, through all epochs.
  int64_t batches = 0;
  std::string payload;
};

// The files `<batches>.checkpoint` of a folder. Thread-compatible.
class Checkpoints {
 public:
  explicit Checkpoints(std::string folder) : folder_(std::move(folder)) {}

  // Adds a checkpoint, atomically, and removes all but it and the one before. RESOURCE_EXHAUSTED
  // when the disk is full.
  absl::Status Write(const StoredCheckpoint& checkpoint) const;

  // The latest whole checkpoint; std::nullopt when there is none. Damaged ones are passed over with
  // a warning.
  absl::StatusOr<std::optional<StoredCheckpoint>> ReadLatest() const;

 private:
  const std::string folder_;
};

}  // namespace tidemill::trainer_server
