// An object of a store, open for reading.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "storage/filesystems/object_blocks.h"
#include "storage/filesystems/remote_file.h"

namespace tidemill::storage {

// For a reader that reads one block after another, the next blocks are fetched ahead. The object
// checks a block's hash when it first touches the block. A reader that doubts the bytes opens the
// object again. Thread-safe.
class S3Object final : public RemoteFile {
 public:
  // `blocks` must outlive this object. `object` is shared with the fetches.
  S3Object(ObjectBlocks& blocks, std::shared_ptr<const BlockedObject> object);

  FileIdentity Identity() const override;
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const override;
  absl::Status Prepare(std::span<const ByteRange> ranges) const override;

 private:
  absl::Status ReadFromBlock(int64_t block, int64_t offset, char* bytes, size_t size) const;
  // Fetches ahead: the blocks [first, last] are being read.
  void ReadAhead(int64_t first, int64_t last) const;

  ObjectBlocks& blocks_;
  const std::shared_ptr<const BlockedObject> object_;
  // One flag per block.
  const std::unique_ptr<std::atomic<bool>[]> is_checked_;
  mutable std::atomic<int64_t> last_block_ = -1;  // The last block read.
};

FileIdentity IdentityOf(const ObjectState& state);

}  // namespace tidemill::storage
