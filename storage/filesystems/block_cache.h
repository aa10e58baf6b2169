// A cache of blocks of remote files, on the local disk and in memory.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"

#include "base/mutex.h"
#include "base/status.h"
#include "batch/buffer.h"

namespace tidemill::storage {

// Identifies a block of one state of a file.
struct BlockKey {
  // A hash of where the file is and of its state.
  uint64_t file_high = 0;
  uint64_t file_low = 0;
  int64_t number = 0;

  friend bool operator==(const BlockKey&, const BlockKey&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const BlockKey& key) {
    return H::combine(std::move(state), key.file_high, key.file_low, key.number);
  }
};

struct BlockCacheOptions {
  // "<storage folder>/blocks".
  std::string folder;
  // Beyond these, the least recently used blocks are removed.
  int64_t max_disk_bytes = int64_t{8} << 30;
  int64_t max_memory_bytes = int64_t{64} << 20;
};

// Keeps the added blocks if the disk has space. A full disk costs requests, but no data.
// Thread-safe.
//
// A block is a file "<folder>/<2 digits>/<file>-<number>". It has a header with the block's key and
// the xxh3-64 of its bytes, and then the bytes. It gets its name once it is written. It is not
// synced: a block that a crash has torn does not match its hash and is fetched again.
class BlockCache {
 public:
  // Takes over the blocks that an earlier process left in the folder, and removes half-written
  // files.
  static absl::StatusOr<std::unique_ptr<BlockCache>> Create(BlockCacheOptions options);

  // Returns the whole block from memory, or from disk with its hash checked. std::nullopt when it
  // is in neither. A damaged block is removed with a warning.
  std::optional<batch::Buffer> Find(const BlockKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads some bytes of a block without checking its hash, because Find() did so before or the
  // reader does. Reads from memory, or only these bytes from disk. Returns whether it could.
  bool ReadAt(const BlockKey& key, int64_t offset, char* bytes, size_t size)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether Find() would probably find it.
  bool Contains(const BlockKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

  void Insert(const BlockKey& key, const batch::Buffer& bytes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Uses = std::list<BlockKey>;  // The most recent first.
  struct OnDisk {
    int64_t size_bytes = 0;
    Uses::iterator used;
  };
  struct InMemory {
    batch::Buffer bytes;
    Uses::iterator used;
  };

  explicit BlockCache(BlockCacheOptions options) : options_(std::move(options)) {}
  absl::Status Adopt() ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FolderOf(const BlockKey& key) const;
  std::string PathOf(const BlockKey& key) const;
  std::optional<batch::Buffer> FindInMemory(const BlockKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Records a use on disk. Returns whether the block is there.
  bool TouchOnDisk(const BlockKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepInMemory(const BlockKey& key, const batch::Buffer& bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteOnDisk(const BlockKey& key, int64_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(const BlockKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

  const BlockCacheOptions options_;
  mutable Mutex mutex_;
  absl::flat_hash_map<BlockKey, OnDisk> on_disk_ ABSL_GUARDED_BY(mutex_);
  Uses disk_uses_ ABSL_GUARDED_BY(mutex_);
  int64_t disk_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<BlockKey, InMemory> in_memory_ ABSL_GUARDED_BY(mutex_);
  Uses memory_uses_ ABSL_GUARDED_BY(mutex_);
  int64_t memory_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool warned_of_writes_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemill::storage
