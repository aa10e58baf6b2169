// What an open file is where its bytes lie elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::storage {

// What tells one state of a file from another.
struct FileIdentity {
  // Of an object in a store: a hash of its ETag.
  int64_t inode = 0;
  int64_t size_bytes = 0;
  int64_t modified_nanos = 0;
  // The time tells nothing that inode and size do not. Stores give it as finely as they like, in a
  // listing otherwise than for one object.
  bool is_versioned = false;

  Timestamp modified_at() const { return {modified_nanos / 1000}; }
  // The time, where it tells one state from another; else 0.
  int64_t state_nanos() const { return is_versioned ? 0 : modified_nanos; }
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.inode == b.inode && a.size_bytes == b.size_bytes && a.state_nanos() == b.state_nanos();
  }
};

// The bytes [from, to) of a file.
struct ByteRange {
  int64_t from = 0;
  int64_t to = 0;
};

// One state of a file that lies elsewhere: what has replaced it is never read instead. Thread-safe.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;

  // As it was opened.
  virtual FileIdentity Identity() const = 0;
  // Up to `size` bytes at `offset`, fewer at the end of the file. FAILED_PRECONDITION when the
  // file was replaced, UNAVAILABLE when its server cannot be reached; NOT_FOUND, PERMISSION_DENIED.
  virtual absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const = 0;
  // Fetches what is missing of the ranges, in any order, side by side. Codes as ReadAt.
  virtual absl::Status Prepare(std::span<const ByteRange> ranges) const = 0;
};

}  // namespace tidemill::storage
