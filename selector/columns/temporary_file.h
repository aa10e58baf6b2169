// A file that is there for nobody until it is published, and else vanishes.
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

// What the names of files and folders begin with that RemoveLeftovers() removes.
inline constexpr std::string_view kUnsealedPrefix = ".unsealed.";

// Thread-compatible; ReadAt() may be called from several threads. RESOURCE_EXHAUSTED when the disk
// is full.
class TemporaryFile {
 public:
  // In `folder`, which exists. A crash leaves a file there that RemoveLeftovers() finds.
  static absl::StatusOr<std::unique_ptr<TemporaryFile>> Create(const std::string& folder);
  // Of processes that are gone, folders included; nobody else may have files in `folder`.
  static absl::Status RemoveLeftovers(const std::string& folder);

  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  absl::Status WriteAt(int64_t offset, std::string_view bytes);
  // Behind what Append() wrote before.
  absl::Status Append(std::string_view bytes);
  absl::Status ReadAt(int64_t offset, std::span<char> bytes) const;
  // Maps the first `size` bytes to be read; the caller unmaps them.
  absl::StatusOr<std::span<const char>> Map(int64_t size) const;

  // Lets the disk begin with what is written so far. Only a hint.
  void StartSync();
  absl::Status Sync();
  // Gives the synced file its name, in place of what has it now. Doing so again changes nothing.
  absl::Status Publish(const std::string& path);

 private:
  TemporaryFile(Descriptor file, std::string path);

  const Descriptor file_;
  std::string path_;  // Empty once published.
  int64_t appended_ = 0;
};

}  // namespace tidemill::selector
