// Finds the records of a TFRecord file, and resumes after damage. A record is its length (8
// bytes), a checksum of the length (4), its bytes, and a checksum of the bytes (4).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

inline constexpr int64_t kTfrecordHeaderBytes = 12;

// Returns the length in a header of kTfrecordHeaderBytes; std::nullopt when its checksum differs.
std::optional<uint64_t> TfrecordLength(std::string_view header);

// The next part of the file.
struct TfrecordPart {
  enum class Kind {
    kNone,      // Nothing is complete yet.
    kRecord,    // A record. `bytes` is what it holds.
    kWrongSum,  // A record whose bytes do not match their checksum.
    kTooLong,   // A record that is longer than allowed.
    kLost,      // Bytes in which no record can be found.
  };
  Kind kind = Kind::kNone;
  int64_t offset = 0;
  int64_t size = 0;  // With length and checksums.
  std::string_view bytes = {};
};

// Reads a file from front to back through windows. A damaged length, or a record that was cut off
// before others were appended, costs the bytes up to the next record whose length and checksums
// agree. The cost is linear in the size of the file, whatever it holds. Thread-compatible.
class TfrecordReader {
 public:
  // `file` must outlive this object. `file_size` is its size when the reading begins. With `grows`,
  // a record that is not complete at the end of the file is still being written.
  TfrecordReader(const OpenFile& file, int64_t file_size, uint64_t max_record, bool grows);

  // Returns the part at the front of `window`, which is at `offset`, and the number of bytes of the
  // window that it has consumed. When that is 0, it needs a longer window. `last` says that nothing
  // follows the window.
  struct Step {
    TfrecordPart part = {};
    size_t num_done = 0;
  };
  absl::StatusOr<Step> Next(std::string_view window, int64_t offset, bool last);

  // Whether a record begins at the next byte, unless the file ends there.
  bool at_record() const { return to_skip_ == 0 && !lost_from_; }
  // Whether the record there is still being written.
  bool waits() const { return waits_; }

  // Call these two at the end of the file. The first returns where the bytes begin in which no
  // record was found, if there are any. The second returns where the zeros after them begin, to
  // within a few bytes.
  std::optional<int64_t> lost_from() const { return lost_from_; }
  int64_t zeros_from() const { return zeros_from_; }

  // Whether bytes were last lost because a record was cut off, rather than because a length is
  // damaged.
  bool was_cut() const { return was_cut_; }

 private:
  struct Header;
  enum class Verdict { kNo, kYes, kMoreBytes };

  absl::StatusOr<Step> TakeRecord(std::string_view window, int64_t offset, bool last);
  absl::StatusOr<Step> TakeSummed(const Header& header, std::string_view window, int64_t offset,
                                  bool last);
  absl::StatusOr<Step> StartSearch(bool was_cut, std::string_view window, int64_t offset,
                                   bool last);
  // Looks for the next record after `lost_from_`.
  absl::StatusOr<Step> Search(std::string_view window, int64_t offset, bool last);
  absl::StatusOr<Verdict> BeginsRecord(std::string_view bytes, int64_t offset, bool last);

  bool Fits(uint64_t length, int64_t offset) const;
  // Whether a record or the end of the file is at `offset`.
  absl::StatusOr<bool> RecordFollows(int64_t offset) const;
  // Limits the cost of checksums that do not match: a crafted file could make it the square of its
  // size.
  bool MaySum(int64_t offset) const;

  const OpenFile& file_;
  const int64_t file_size_;
  const uint64_t max_record_;
  const bool grows_;
  bool waits_ = false;
  bool was_cut_ = false;
  uint64_t to_skip_ = 0;  // The bytes of a record that is too long.
  std::optional<int64_t> lost_from_;
  int64_t zeros_from_ = 0;  // From here on all searched bytes are zeros.
  std::optional<int64_t> first_offset_;
  uint64_t summed_in_vain_ = 0;
};

}  // namespace tidemill::storage
