// A file of prepared rows. Blocks are appended; nothing is ever moved.
//
//   [ header ][ entry ]..[ entry ][ row ]..[ row ] [ header ][ entry ].. ...  zeros
//     32 bytes   64 bytes each       what entries say                       room that was taken
//
// Each entry has a sum of itself and one of its row, so that what is torn, flipped or wiped is
// found and counts as missing. A file belongs to one point of a graph; see
// docs/formats/prepared_rows.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "prepared/prepared_samples.h"
#include "prepared/row_block.h"

namespace tidemill::prepared {

// Where a row is.
struct RowPlace {
  RowEntry entry;
  int64_t entry_offset = 0;
  int64_t offset = 0;  // Where its bytes begin.
};

// Thread-safe where it says so.
class RowFile {
 public:
  // Opens a file to read, or makes or opens one to append to, which no other process may do then.
  // UNAVAILABLE while another process appends to it. NOT_FOUND when there is none to read, or its
  // folder is gone. FAILED_PRECONDITION for what is not a file: a link, a pipe, a folder.
  static absl::StatusOr<RowFile> OpenToRead(const std::string& path);
  static absl::StatusOr<RowFile> OpenToAppend(const std::string& path);

  RowFile(RowFile&&) = default;
  RowFile& operator=(RowFile&&) = default;
  // Gives back the room that was taken for blocks that did not come.
  ~RowFile();

  // Calls `found` with the rows that were appended since the last call, by any process. Stops at a
  // block that is not complete. Returns whether these are all rows: false when there may be more
  // after something that is damaged. Thread-compatible.
  bool Scan(const std::function<void(const RowPlace&)>& found);

  // Appends a block after the last complete one. The rows are those of `which`. Returns the places.
  // Requires Scan() to have been called. UNAVAILABLE when the disk is full, or the file cannot be
  // written. Thread-compatible, also beside Read() and Wipe().
  absl::StatusOr<std::vector<RowPlace>> Append(std::span<const SampleName> names,
                                               const NamedRows& rows, const RowColumns& columns,
                                               std::span<const int64_t> which);

  // Reads a row into row `row` of `rows`, whose state it sets. Returns false when its bytes are not
  // those that were kept. Thread-safe.
  bool Read(const RowPlace& place, const RowColumns& columns, int64_t row, NamedRows& rows) const;

  // Takes more room at the end, which counts as bytes of the file. Returns false when the file
  // cannot grow. Only for a file that is open to append. Thread-compatible.
  bool TakeRoom(int64_t bytes);
  // The room that is left.
  int64_t room() const { return std::max<int64_t>(0, size_ - end_); }
  // Gives it back, with what a killed process has left after the last complete block.
  void GiveRoomBack();

  // Overwrites a row and its entry, so that nothing of it is left. Thread-safe.
  absl::Status Wipe(const RowPlace& place) const;

  const std::string& path() const { return path_; }
  // The bytes up to the end of the last complete block.
  int64_t end() const { return end_; }
  // Whether the file has been removed from its folder.
  bool IsRemoved() const;

 private:
  RowFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Descriptor file_;
  int64_t end_ = 0;
  int64_t size_ = 0;  // With the room that was taken.
};

// Returns the bytes that a block of these rows takes.
int64_t BlockBytes(const NamedRows& rows, const RowColumns& columns,
                   std::span<const int64_t> which);

}  // namespace tidemill::prepared
