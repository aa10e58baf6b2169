// Segment column files hold what the read path needs about each sample, memory-mapped. PostgreSQL
// and the data are the truth. A lost column file is rebuilt from them.
//
//   <storage folder>/segments/<dataset_id>/<segment_id>.batch
//
// is a batch in the wire format with one row per key of the segment, in key order, and the columns
//   lookup              int64  four a row, a LookupRow: what a read of single samples needs, in one
//                              line of the processor's cache
//   byte_to             int64  where the record ends in the (unpacked) file, without line end; -1
//                              when it has vanished from the file. A label inside a binary record
//                              is within it: see PayloadCut in storage/formats/format.h.
//   event_time          int64  microseconds
//   in_order            uint8  of no numbers a row: there when the times ascend, so that they need
//   not all be read to find out class_label         int64  nullable real_label          float64,
//   nullable file_id             int64  only where storage.segments.file_id is null (one file a
//   sample)
// followed by the sums of its blocks (block_sums.h).
// A column file is written before the transaction commits that names its segment. It never changes
// afterwards: the segments of a replaced file get new ids.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "storage/segments/block_sums.h"
#include "storage/segments/segment_rows.h"

namespace tidemill::storage {

inline constexpr std::string_view kLookupColumn = "lookup";
inline constexpr std::string_view kByteToColumn = "byte_to";
inline constexpr std::string_view kInOrderColumn = "in_order";
inline constexpr std::string_view kFileIdColumn = "file_id";

// The numbers needed to read a sample, side by side. A reader of shuffled keys then waits for
// memory once per key, not once per column.
struct LookupRow {
  int64_t byte_from = 0;  // -1 when the record has vanished from the file.
  int64_t hash = 0;       // The xxh3-64 of the bytes [byte_from, byte_to).
  int64_t event_time = 0;
  int64_t label = 0;  // The class label, else the bits of the real label, else 0.
};

// Facts learned about a column file since it was opened. Thread-safe, except when it is moved.
class SegmentHealth {
 public:
  SegmentHealth() = default;
  SegmentHealth(SegmentHealth&& other) noexcept : state_(other.state_.load()) {}
  SegmentHealth& operator=(SegmentHealth&& other) noexcept {
    state_ = other.state_.load();
    return *this;
  }
  SegmentHealth(const SegmentHealth&) = delete;
  SegmentHealth& operator=(const SegmentHealth&) = delete;
  ~SegmentHealth() = default;

  bool is_ready() const { return state_.load(std::memory_order_acquire) == State::kReady; }
  bool is_damaged() const { return state_.load(std::memory_order_acquire) == State::kDamaged; }
  // Damage is permanent.
  void SetReady() {
    State unknown = State::kUnknown;
    state_.compare_exchange_strong(unknown, State::kReady, std::memory_order_acq_rel);
  }
  void SetDamaged() { state_.store(State::kDamaged, std::memory_order_release); }

 private:
  enum class State : uint8_t { kUnknown, kReady, kDamaged };
  std::atomic<State> state_ = State::kUnknown;
};

// The columns of a segment as they are read. They are views of a mapping that `batch` keeps alive.
// Movable only: the views of a copy would point into the original.
//
// The content of a mapped file is compared with its sums when it is first read. So readers must
// check whether their numbers are sound, at the latest before they pass them on. If they are not,
// SampleIndex::Refresh() rebuilds the file.
struct SegmentColumns {
  batch::Batch batch;
  mutable SegmentHealth health = {};  // In one line of the cache with `lookup`.
  std::span<const LookupRow> lookup;
  std::span<const int64_t> byte_to;
  std::span<const int64_t> event_time;
  // Whether the times are known to ascend. When it is false, they may still ascend.
  bool is_in_order = false;
  const batch::Column* class_label = nullptr;
  const batch::Column* real_label = nullptr;
  std::span<const int64_t> file_id;  // Empty when the whole segment is in one file.
  // Whether the file has sums. Files of earlier versions have none.
  bool has_sums = false;
  // nullptr when nothing is left to compare.
  std::unique_ptr<const BlockSums> sums = nullptr;

  int64_t num_rows() const { return batch.num_rows(); }

  bool is_damaged() const { return health.is_damaged(); }
  // Whether these numbers of one column are sound. False for all numbers once one was found to be
  // damaged.
  bool AreSound(const void* numbers, size_t num_bytes) const;
  template <typename T>
  bool AreSound(std::span<const T> numbers) const {
    return AreSound(numbers.data(), numbers.size_bytes());
  }
  bool TimeIsSound(int64_t row) const {
    return AreSound(event_time.subspan(static_cast<size_t>(row), 1));
  }
  // Checks the times and, when asked, the labels of the rows [from, to).
  bool RowsAreSound(int64_t from, int64_t to, bool with_labels) const;
  bool AllAreSound() const;
  // Whether the columns that SampleLookup reads are sound. The first call compares them with their
  // sums.
  bool IsReadyForLookup() const { return health.is_ready() || CompareForLookup(); }
  bool CompareForLookup() const;
};

// Returns the number in a row of a column, unless it is missing.
template <typename T>
std::optional<T> ValueAt(const batch::Column& column, int64_t row) {
  if (!column.IsValid(row)) return std::nullopt;
  return column.Values<T>()[static_cast<size_t>(row)];
}

std::string SegmentFolder(const std::string& storage_folder, DatasetId dataset);
std::string SegmentPath(const std::string& storage_folder, DatasetId dataset, int64_t segment_id);

// Returns the bytes of a column file.
absl::StatusOr<std::string> EncodeSegmentColumns(const SegmentRows& rows);

// Writes the file, whole or not at all. Creates the folder.
absl::Status WriteSegmentColumns(const std::string& path, const SegmentRows& rows);

// NOT_FOUND when there is no file. DATA_LOSS when it is not as described above, or damaged. A small
// file is compared with its sums as a whole; of a large file, only the description of its columns.
absl::StatusOr<SegmentColumns> OpenSegmentColumns(const std::string& path);

// Reads a file from disk, even if it is mapped, and compares all of it with its sums. A file
// without sums counts as sound when it can be opened. NOT_FOUND when there is no file. DATA_LOSS
// when it is damaged.
absl::Status CheckSegmentColumns(const std::string& path);

}  // namespace tidemill::storage
