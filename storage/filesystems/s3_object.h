// An object of a store, open for reading.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "storage/filesystems/object_blocks.h"
#include "storage/filesystems/remote_file.h"

namespace tidemill::storage {

// Who reads one block after another finds the next ones on their way. Each block's hash is checked
// when the object first touches it: a reader that has reason to doubt what it got opens the object
// anew. Thread-safe.
class S3Object final : public RemoteFile {
 public:
  // `blocks` must outlive it; `object` is shared with what is being fetched.
  S3Object(ObjectBlocks& blocks, std::shared_ptr<const BlockedObject> object);

  FileIdentity Identity() const override;
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const override;
  absl::Status Prepare(std::span<const ByteRange> ranges) const override;

 private:
  absl::Status ReadFromBlock(int64_t block, int64_t offset, char* bytes, size_t size) const;
  // Blocks [first, last] are read now.
  void ReadAhead(int64_t first, int64_t last) const;

  ObjectBlocks& blocks_;
  const std::shared_ptr<const BlockedObject> object_;
  // By block.
  const std::unique_ptr<std::atomic<bool>[]> is_checked_;
  mutable std::atomic<int64_t> last_block_ = -1;  // That was read.
};

FileIdentity IdentityOf(const ObjectState& state);

}  // namespace tidemill::storage
