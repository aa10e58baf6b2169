// Where the samples of given keys lie, as columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "storage/client/payload_cut.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// What one block may hold: whichever comes first.
struct BlockLimits {
  size_t max_keys = 65'536;
  // A sample that makes a block larger than twice this starts a block of its own.
  int64_t payload_bytes = int64_t{2} << 20;
};

// The labels of some rows, each row's number or none.
template <typename T>
struct LabelRows {
  std::vector<T> values;          // 0 where there is none.
  std::vector<uint8_t> validity;  // One bit a row, least significant first; 0 behind them.
  size_t num_valid = 0;

  void Resize(size_t num_rows) {
    values.resize(num_rows);
    validity.resize((num_rows + 7) / 8);
  }
};

// The rows of the keys that were found, in the order asked, and the keys that were not.
struct SampleRows {
  struct Problem {
    size_t position = 0;  // Of the key among those looked up.
    std::string reason;
    // A newer index will not know better.
    bool is_final = false;
  };

  std::vector<int64_t> key;
  std::vector<uint32_t> position;  // Of the key among those looked up.
  std::vector<FileId> file;
  std::vector<int64_t> byte_from;
  std::vector<uint32_t> size;  // Of the record, with its cut.
  std::vector<uint64_t> hash;
  std::vector<int64_t> event_time;
  LabelRows<int64_t> class_label;
  LabelRows<double> real_label;
  std::vector<Problem> problems;  // By position.
  // How many keys were looked up.
  size_t num_keys = 0;

  size_t num_rows() const { return key.size(); }
  void Clear();
  // Makes room, to be filled in, or drops rows at the end.
  void Resize(size_t num_rows);
  // Drops row `row`, which must not be the first, and all that was looked up behind it.
  void CutAt(size_t row);
};

// Looks keys up, some at a time: the lines of the index that the next ones need are on their way
// while the present ones are read. Thread-compatible.
class SampleLookup {
 public:
  // `index` must outlive it.
  explicit SampleLookup(const DatasetIndex& index);

  // Fills `rows` with as many of the first keys as the limits allow, at least one.
  void Find(std::span<const int64_t> keys, const BlockLimits& limits, SampleRows& rows);

  // The bytes of all records, where the format has one size; 0 where they differ.
  int64_t record_bytes() const { return record_bytes_; }

 private:
  // Few enough that the processor takes note of all their lines at once, and waits for none while
  // it takes up the keys of an earlier step.
  static constexpr size_t kStep = 16;
  static constexpr size_t kStepsAhead = 4;
  // Where keys lie in the mapped columns.
  struct Places {
    // nullptr: no sample to be read.
    std::array<const LookupRow*, kStep> place;
    std::array<const IndexedSegment*, kStep> segment;
    std::array<bool, kStep> is_deleted;
    size_t count = 0;

    size_t RowOf(size_t i) const {
      return static_cast<size_t>(place[i] - segment[i]->columns->lookup.data());
    }
  };

  // Finds the places of a step's keys and asks for the lines of them.
  void LookAhead(std::span<const int64_t> keys, Places& places);
  // Take up the keys of a step; false once the block is full. The second one does it key by key,
  // where there may be problems.
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
  // Of the block that is being filled.
  size_t num_rows_ = 0;
  int64_t payload_bytes_ = 0;
};

}  // namespace tidemill::storage
