// Where records begin in the middle of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// How far a search for the next record goes.
inline constexpr size_t kMostRecordSearch = size_t{1} << 20;

// A place in a file, as FileInput has it.
struct RecordStart {
  int64_t byte = 0;
  int64_t record = 0;  // The number of the record, or 1 where it is not known.
};

struct RecordStarts {
  // Those that may be the first at or after an offset. Several when it is not known which lines
  // begin a record, because quoted fields may hold line ends.
  std::vector<RecordStart> candidates = {};
  // Whether the records behind them may be cut wrongly.
  bool uncertain = false;
};

// Returns up to `size` bytes of a file.
absl::StatusOr<std::string> BytesAt(const OpenFile& file, int64_t offset, size_t size);

// Looks for lines that begin at or after `offset`, which is greater than 0. There are several
// candidates when quotes are near.
absl::StatusOr<RecordStarts> FindLines(const OpenFile& file, int64_t offset,
                                       std::optional<char> quote);

}  // namespace tidemill::storage
