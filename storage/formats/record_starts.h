// Finds where records begin in the middle of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// How far a search for the next record goes.
inline constexpr size_t kMaxRecordSearch = size_t{1} << 20;

// A place in a file, as FileInput has it.
struct RecordStart {
  int64_t byte = 0;
  int64_t record = 0;  // The number of the record; 1 when it is unknown.
};

struct RecordStarts {
  // The places that may be the first record at or after an offset. There are several when quoted
  // fields may hold line ends, so that any of several lines may begin the record.
  std::vector<RecordStart> candidates = {};
  // Whether the records after the candidates may be cut in the wrong places.
  bool uncertain = false;
};

// Returns up to `size` bytes of a file.
absl::StatusOr<std::string> BytesAt(const OpenFile& file, int64_t offset, size_t size);

// Looks for lines that begin at or after `offset`, which is greater than 0. There are several
// candidates when quotes are near.
absl::StatusOr<RecordStarts> FindLines(const OpenFile& file, int64_t offset,
                                       std::optional<char> quote);

}  // namespace tidemill::storage
