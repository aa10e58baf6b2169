// Fetches objects in blocks: each block once, and several at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "storage/filesystems/block_cache.h"
#include "storage/filesystems/s3_client.h"

namespace tidemill::storage {

// One state of an object, divided into blocks.
struct BlockedObject {
  ObjectState state;
  // The bytes of every block but the last.
  int64_t block_bytes = 0;
  // The key of its blocks, without the number.
  BlockKey key;

  int64_t num_blocks() const { return (state.size_bytes + block_bytes - 1) / block_bytes; }
  int64_t SizeOf(int64_t block) const {
    return std::min(block_bytes, state.size_bytes - block * block_bytes);
  }
  BlockKey KeyOf(int64_t block) const { return {key.file_high, key.file_low, block}; }
};

// Neighbouring blocks are fetched with one request. When two callers want the same block, it is
// fetched once. Thread-safe. The destructor ends the fetches. Memory: the blocks being fetched, a
// few per connection, in addition to the cache.
class ObjectBlocks {
 public:
  // Both must outlive this object.
  ObjectBlocks(S3Client& client, BlockCache& cache, int connections);
  ~ObjectBlocks();

  // Returns a whole block, with its hash checked. Returns the errors of S3Client::Get.
  absl::StatusOr<batch::Buffer> Load(const std::shared_ptr<const BlockedObject>& object,
                                     int64_t block) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether a block is in the cache or being fetched. If it turns out to be damaged, Load() fetches
  // it again.
  bool IsCachedOrFetching(const BlockedObject& object, int64_t block) ABSL_LOCKS_EXCLUDED(mutex_);

  // Starts to fetch those of the blocks, ascending, that are neither in the cache nor being
  // fetched. Starts no more than there is room for. Returns how many blocks, from the first on,
  // need no further call.
  size_t Begin(const std::shared_ptr<const BlockedObject>& object, std::span<const int64_t> blocks)
      ABSL_LOCKS_EXCLUDED(mutex_);

  BlockCache& cache() { return cache_; }

 private:
  // A block that is being fetched, and the result. The caller that fetches and those that wait
  // share it.
  struct Flight {
    bool done = false;
    absl::Status status;
    batch::Buffer bytes;
  };
  struct Claim {
    int64_t block = 0;
    std::shared_ptr<Flight> flight;
  };
  class Assembly;

  // Fetches consecutive blocks that were claimed.
  void Fetch(const BlockedObject& object, const std::vector<Claim>& run)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void FinishFetch(const BlockedObject& object, const Claim& claim,
                   absl::StatusOr<batch::Buffer> result) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<batch::Buffer> Await(const Flight& flight) ABSL_LOCKS_EXCLUDED(mutex_);

  S3Client& client_;
  BlockCache& cache_;
  const size_t max_flights_;
  Mutex mutex_;
  CondVar landed_;
  absl::flat_hash_map<BlockKey, std::shared_ptr<Flight>> flights_ ABSL_GUARDED_BY(mutex_);
  WorkerPool fetchers_;  // The last member: its threads use all members above.
};

}  // namespace tidemill::storage
