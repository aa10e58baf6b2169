// The bytes that prepared rows may take in an object store, over all hosts that use it.
//
// The rule is that of folders (folder_budget.h): rows give way only to rows a byte of which saves
// 1.25 times as much, and nothing because it was not used lately. A store has no locks, so each
// process adds what it has put to what it last listed. Hosts that put at the same time can exceed
// the budget by what they put between two listings; whoever lists removes what is too much, in an
// order that is the same for all.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "prepared/folder_budget.h"
#include "storage/prepared_objects/row_objects.h"

namespace tidemill::storage {

// Thread-safe.
class ObjectBudget {
 public:
  // `objects` must outlive it. Points that were not used within `keep_unused` are removed at the
  // first listing. With `bytes` of 0 there is room for nothing.
  ObjectBudget(RowObjects& objects, int64_t bytes, Duration keep_unused);

  // Notes what a point is worth and that it is used now. What a user has asked for keeps its worth.
  absl::Status OpenPoint(std::string_view digest, const prepared::PointAbout& about)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether a user has asked for the rows of a point. False while the store cannot be reached.
  bool IsAskedFor(std::string_view digest) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns whether there is room for more bytes of a point, after rows that are worth less were
  // removed to make it. The bytes count from now on.
  bool MakeRoom(std::string_view digest, int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the bytes that the rows of these points may take, together; 0 while the store cannot be
  // reached.
  int64_t BytesFor(std::span<const std::string> digests) ABSL_LOCKS_EXCLUDED(mutex_);

  int64_t bytes() const { return bytes_; }
  // How often OpenPoint() must be called while a point is used.
  std::chrono::microseconds note_interval() const {
    return std::chrono::microseconds(keep_unused_.micros / 4);
  }

 private:
  struct Point {
    double worth = 0;
    int64_t used_seconds = 0;  // When it was last opened, or added to.
    int64_t bytes = 0;
    std::vector<StoredObject> abouts = {};
    std::vector<StoredObject> blocks = {};
  };
  using Points = std::map<std::string, Point, std::less<>>;

  // Lists everything, unless that was done a moment ago. Returns whether it is known.
  bool Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveUnused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes what exceeds the budget.
  void Trim() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t Used() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the newest blocks of a point until `bytes` fit or it has none.
  void Shrink(Point& point, int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The points, those first that give way first.
  std::vector<Point*> ByWorth() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  RowObjects& objects_;
  const int64_t bytes_;
  const Duration keep_unused_;
  // Held during requests: one thread at a time makes room. No batch waits for it.
  Mutex mutex_;
  Points points_ ABSL_GUARDED_BY(mutex_);
  bool has_looked_ ABSL_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point look_again_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace tidemill::storage
