// The checkpoints of one training. A file is either whole or ignored.
//
//   64 hexadecimal digits: SHA-256 of the rest | payload
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

struct StoredCheckpoint {
  // The number of batches trained, over all epochs.
  int64_t batches = 0;
  std::string payload;
};

// The files `<batches>.checkpoint` of a folder. Thread-compatible.
class Checkpoints {
 public:
  explicit Checkpoints(std::string folder) : folder_(std::move(folder)) {}

  // Adds a checkpoint atomically. Removes all older checkpoints except the previous one.
  // UNAVAILABLE when the disk is full (disk_full.h).
  absl::Status Write(const StoredCheckpoint& checkpoint) const;

  // Returns the latest whole checkpoint, or std::nullopt. Damaged ones are skipped with a warning.
  absl::StatusOr<std::optional<StoredCheckpoint>> ReadLatest() const;

  // Returns the name of the latest file, whether it is whole or not; std::nullopt without one.
  struct Latest {
    std::string name;
    int64_t batches = 0;
  };
  std::optional<Latest> FindLatest() const;

 private:
  const std::string folder_;
};

}  // namespace tidemill::trainer_server
