// Prepared rows of one point in an object store.
//
//   Keep() --> a block in memory --8 MiB or 5 s--> put --> found by all hosts
//                  64 MiB in all; what does not fit is passed over
//   Find() <-- ranges of blocks, from 16 at a time; at most 2 s
//                  what blocks hold is listed every 10 s, while rows are missing
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "base/mutex.h"
#include "base/threads/periodic_task.h"
#include "base/threads/worker_pool.h"
#include "prepared/prepared_samples.h"
#include "prepared/row_block.h"
#include "storage/prepared_objects/forgotten_keys.h"
#include "storage/prepared_objects/object_budget.h"
#include "storage/prepared_objects/row_objects.h"

namespace tidemill::storage {

// Thread-safe. The destructor writes what is in memory, if that begins within ten seconds.
class ObjectSamples final : public prepared::PreparedSamples {
 public:
  // What all points of a process share. It must outlive them.
  struct Store {
    RowObjects& objects;
    ObjectBudget& budget;
    ForgottenKeys& forgotten;
    WorkerPool& readers;
    bool takes_all = false;  // Keep() waits for room, and for the first listing.
  };

  ObjectSamples(Store store, std::string digest, prepared::PointAbout about,
                prepared::RowColumns columns);
  ~ObjectSamples() override;

  void Find(std::span<const prepared::SampleName> names, prepared::NamedRows& rows) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool Keep(std::span<const prepared::SampleName> names, const prepared::NamedRows& rows) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);
  prepared::StoreCounts counts() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  // A block that was put, and where its rows begin.
  struct Block {
    std::string name;
    std::vector<prepared::RowEntry> entries = {};
    std::vector<int64_t> offsets = {};
  };
  struct Known {
    std::shared_ptr<const Block> block;
    std::string etag;  // Empty: it was put here, and not listed yet.
  };
  struct Place {
    std::shared_ptr<const Block> block;
    size_t at = 0;
  };
  // A row to read.
  struct Wanted {
    int64_t row = 0;
    Place place;

    int64_t offset() const { return place.block->offsets[place.at]; }
    const prepared::RowEntry& entry() const { return place.block->entries[place.at]; }
  };
  // A block that grows in memory.
  struct Draft {
    std::vector<prepared::RowEntry> entries = {};
    std::string rows = {};
    Clock::time_point begin = {};

    int64_t bytes() const;
  };

  static std::shared_ptr<Block> Indexed(const StoredObject& object,
                                        std::vector<prepared::RowEntry> entries);
  void AwaitFirstListing() ABSL_LOCKS_EXCLUDED(mutex_);
  // Learns what others have put.
  void List() ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<const Block> ReadIndex(const StoredObject& object) ABSL_LOCKS_EXCLUDED(mutex_);
  void Add(const std::shared_ptr<const Block>& block, std::string etag)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Drop(const std::shared_ptr<const Block>& block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::vector<Wanted> Look(std::span<const prepared::SampleName> names,
                           const prepared::NamedRows& rows) ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads rows that follow one another in a block. Returns whether the store answered.
  bool ReadRange(std::span<const Wanted> range, Mutex& rows_mutex, prepared::NamedRows& rows)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteDamage(const Wanted& wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns whether there is room in memory, perhaps after it has waited for it.
  bool HasRoomFor(int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns false.
  bool Refuse(int64_t num_rows, std::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PutDraft() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Put(const Draft& draft) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status PutBlock(const Draft& draft) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status NotePoint() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Tick() ABSL_LOCKS_EXCLUDED(mutex_);

  const Store store_;
  const std::string digest_;
  const prepared::PointAbout about_;
  const prepared::RowColumns columns_;
  const int64_t block_bytes_;
  mutable Mutex mutex_;
  CondVar changed_;
  absl::flat_hash_map<prepared::SampleName, Place> places_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Known> blocks_ ABSL_GUARDED_BY(mutex_);  // By name.
  bool has_listed_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_listing_wanted_ ABSL_GUARDED_BY(mutex_) = true;
  Clock::time_point list_again_ ABSL_GUARDED_BY(mutex_) = {};
  Draft draft_ ABSL_GUARDED_BY(mutex_);
  // Names in memory, and the bytes of their rows.
  absl::flat_hash_set<prepared::SampleName> unwritten_ ABSL_GUARDED_BY(mutex_);
  int64_t unwritten_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // When to note the next time that the point is used.
  Clock::time_point note_again_ ABSL_GUARDED_BY(mutex_) = {};
  // After that, nothing is written any more.
  Clock::time_point write_until_ ABSL_GUARDED_BY(mutex_) = Clock::time_point::max();
  Clock::time_point full_until_ ABSL_GUARDED_BY(mutex_) = {};
  bool has_said_refused_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_said_damage_ ABSL_GUARDED_BY(mutex_) = false;
  prepared::StoreCounts counts_ ABSL_GUARDED_BY(mutex_);
  // The last members: their threads use all of the above.
  std::optional<WorkerPool> writers_;
  std::optional<PeriodicTask> ticks_;
};

}  // namespace tidemill::storage
