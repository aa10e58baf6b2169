// Finds where the samples of given keys are, as columns.
//   keys      [ 16 ][ 16 ][ 16 ][ 16 ][ 16 ] ...
//                ^                       ^
//              TakeStep()           LookAhead(): segment, row, prefetch of the row's memory
//
// Shuffled keys miss the cache at every row. The lookahead makes these misses overlap, so that a
// key costs a fraction of a miss.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "storage/gather/payload_cut.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// The limits of one block. The first limit that is reached ends the block.
struct BlockLimits {
  size_t max_keys = 65'536;
  // A sample that would make a block larger than twice this starts a new block.
  int64_t payload_bytes = int64_t{2} << 20;
};

// The labels of some rows. A row has a number or none.
template <typename T>
struct LabelRows {
  std::vector<T> values;  // 0 for a row without a label.
  // One bit per row, least significant first; 0 after the last row.
  std::vector<uint8_t> validity;
  size_t num_valid = 0;

  void Resize(size_t num_rows) {
    values.resize(num_rows);
    validity.resize((num_rows + 7) / 8);
  }
};

// The rows of the keys that were found, in the requested order, and the keys that were not found.
struct SampleRows {
  struct Problem {
    size_t position = 0;  // The position of the key in the request.
    std::string reason;
    // Whether a newer index would give the same answer.
    bool is_final = false;
  };

  std::vector<int64_t> key;
  std::vector<uint32_t> position;  // The positions of the keys in the request.
  std::vector<FileId> file;
  std::vector<int64_t> byte_from;
  std::vector<uint32_t> size;  // The bytes of the record, including its cut.
  std::vector<uint64_t> hash;
  std::vector<int64_t> event_time;
  LabelRows<int64_t> class_label;
  LabelRows<double> real_label;
  std::vector<Problem> problems;  // Ordered by position.
  // The number of keys looked up.
  size_t num_keys = 0;

  size_t num_rows() const { return key.size(); }
  void Clear();
  // Makes room for rows to be filled in, or drops rows at the end.
  void Resize(size_t num_rows);
  // Drops row `row`, which must not be the first, and everything looked up after it.
  void CutAt(size_t row);
};

// Looks up keys in steps. The memory that the next keys need is prefetched while the current keys
// are read. Thread-compatible.
class SampleLookup {
 public:
  // `index` must outlive this object.
  explicit SampleLookup(const DatasetIndex& index);

  // Fills `rows` with as many of the first keys as the limits allow, and at least one. Keys of a
  // damaged column file are problems.
  void Find(std::span<const int64_t> keys, const BlockLimits& limits, SampleRows& rows);

  // The bytes of every record when the format has records of one size; 0 when they differ.
  int64_t record_bytes() const { return record_bytes_; }

 private:
  // The number of keys in a step. It is small enough for the processor to prefetch the memory of a
  // whole step while it handles the step before.
  static constexpr size_t kStep = 16;
  static constexpr size_t kStepsAhead = 4;
  // The places of keys in the mapped columns.
  struct Places {
    // nullptr when there is no sample to read.
    std::array<const LookupRow*, kStep> place;
    std::array<const IndexedSegment*, kStep> segment;
    std::array<bool, kStep> is_deleted;
    size_t count = 0;

    size_t RowOf(size_t i) const {
      return static_cast<size_t>(place[i] - segment[i]->columns->lookup.data());
    }
  };

  // Finds the places of a step's keys and prefetches their memory.
  void LookAhead(std::span<const int64_t> keys, Places& places);
  // Takes the keys of a step. Returns false once the block is full. The second method goes key by
  // key, for keys with possible problems.
  bool TakeStep(std::span<const int64_t> keys, const Places& places, const BlockLimits& limits,
                SampleRows& rows);
  bool TakeOneByOne(std::span<const int64_t> keys, const Places& places, const BlockLimits& limits,
                    SampleRows& rows);
  // Fills the columns of the rows [first_row, first_row + to - from) from places [from, to).
  void Fill(std::span<const int64_t> keys, const Places& places, size_t from, size_t to,
            SampleRows& rows);
  int64_t SizeAt(const Places& places, size_t i) const;

  const DatasetIndex& index_;
  const PayloadCut cut_;
  const int64_t record_bytes_;
  const bool has_real_labels_;
  const bool has_tombstones_;
  // The number of rows in the block that is being filled.
  size_t num_rows_ = 0;
  int64_t payload_bytes_ = 0;
};

}  // namespace tidemill::storage
