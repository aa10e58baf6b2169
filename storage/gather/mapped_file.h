// Maps data files for reading, and survives any change that their owner makes to them.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"

namespace tidemill::storage {

// A read-only mapping of a whole file, with its length when it was mapped. Thread-safe.
//
// Touching a page raises SIGBUS when the file no longer has it or the disk cannot read it. Here the
// page reads as zeros instead, and so does everything after it. The records' hashes then show the
// damage, and is_damaged() says that the file should be mapped again. The first mapping installs
// the handler. It passes signals that do not concern a mapping to the handler that was there
// before. Install other handlers first.
class MappedFile {
 public:
  // The descriptor may be closed afterwards. The file lives as long as the mapping.
  // FAILED_PRECONDITION when it is not a regular file, or empty. RESOURCE_EXHAUSTED beyond
  // kMaxMappings.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Map(int descriptor);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether a page of the file was missing.
  bool is_damaged() const;

  // The most mappings of a process at a time. Linux itself allows 65,530 mappings of all kinds.
  static constexpr size_t kMaxMappings = 8192;

 private:
  MappedFile(const std::byte* data, size_t size, size_t slot)
      : data_(data), size_(size), slot_(slot) {}

  const std::byte* const data_;
  const size_t size_;
  const size_t slot_;  // The slot in the table that the signal handler reads.
};

}  // namespace tidemill::storage
