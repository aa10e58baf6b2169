// The interface of an open file whose bytes are elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::storage {

// Distinguishes the states of a file.
struct FileIdentity {
  // For an object in a store: a hash of its ETag.
  int64_t inode = 0;
  int64_t size_bytes = 0;
  int64_t modified_nanos = 0;
  // When the system last changed the file or what it knows of it (ctime). 0 for an object in a
  // store. Two states that are otherwise equal may differ in it, and a state may have several.
  int64_t changed_nanos = 0;
  // Whether inode and size alone distinguish states. The time is then ignored: stores give it with
  // different precision in a listing and for one object.
  bool is_versioned = false;

  Timestamp modified_at() const { return {modified_nanos / 1000}; }
  // The time if it distinguishes states, else 0.
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

// One state of a file that is elsewhere. A state that has replaced it is never read instead.
// Thread-safe.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;

  // Returns the identity when the file was opened.
  virtual FileIdentity Identity() const = 0;
  // Reads up to `size` bytes at `offset`; fewer at the end of the file. FAILED_PRECONDITION when
  // the file was replaced. UNAVAILABLE when its server cannot be reached. NOT_FOUND,
  // PERMISSION_DENIED.
  virtual absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const = 0;
  // Fetches the missing parts of the ranges in parallel, in any order. Returns the errors of
  // ReadAt().
  virtual absl::Status Prepare(std::span<const ByteRange> ranges) const = 0;
};

}  // namespace tidemill::storage
