// A file that has no name until it is published. If it is never published, it is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::selector {

// The prefix of the files and folders that RemoveLeftovers() removes.
inline constexpr std::string_view kUnsealedPrefix = ".unsealed.";

// Thread-compatible, except that several threads may call ReadAt(). RESOURCE_EXHAUSTED when the
// disk is full.
class TemporaryFile {
 public:
  // Creates a file in `folder`, which must exist. A crash leaves a file there that
  // RemoveLeftovers() finds.
  static absl::StatusOr<std::unique_ptr<TemporaryFile>> Create(const std::string& folder);
  // Removes the files and folders that ended processes left. No other process may have files in
  // `folder`.
  static absl::Status RemoveLeftovers(const std::string& folder);

  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  absl::Status WriteAt(int64_t offset, std::string_view bytes);
  // Appends after what was appended before.
  absl::Status Append(std::string_view bytes);
  absl::Status ReadAt(int64_t offset, std::span<char> bytes) const;
  // Maps the first `size` bytes for reading. The caller unmaps them.
  absl::StatusOr<std::span<const char>> Map(int64_t size) const;

  // Hints to the system to begin writing the file to disk.
  void StartSync();
  absl::Status Sync();
  // Gives the synced file its name, and replaces the file that has the name now. A second call
  // changes nothing.
  absl::Status Publish(const std::string& path);

 private:
  TemporaryFile(Descriptor file, std::string path);

  const Descriptor file_;
  std::string path_;  // Empty once the file is published.
  int64_t appended_ = 0;
};

}  // namespace tidemill::selector
