// Data files mapped for reading, whatever their owner does to them meanwhile.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.h"

namespace tidemill::storage {

// A read-only mapping of a whole file, as long as it was when it was mapped. Thread-safe.
//
// Touching a page that the file no longer has, or that the disk cannot give, raises SIGBUS. Here
// it reads as zeros instead, and so does all behind it: what is wrong shows in the records'
// hashes, and `is_damaged()` says that the file should be mapped anew. The handler is installed by
// the first mapping and hands on signals that are not about a mapping to the handler that was
// there before, so install others first.
class MappedFile {
 public:
  // The descriptor may be closed afterwards; the file lives as long as the mapping. FAILED_
  // PRECONDITION for what is no regular file or empty; RESOURCE_EXHAUSTED beyond kMaxMappings.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Map(int descriptor);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether a page of it was found gone.
  bool is_damaged() const;

  // Of a process at a time; Linux itself allows 65,530 mappings of all kinds.
  static constexpr size_t kMaxMappings = 8192;

 private:
  MappedFile(const std::byte* data, size_t size, size_t slot)
      : data_(data), size_(size), slot_(slot) {}

  const std::byte* const data_;
  const size_t size_;
  const size_t slot_;  // Of the table that the signal handler looks into.
};

}  // namespace tidemill::storage
