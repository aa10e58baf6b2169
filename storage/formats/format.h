// File formats turn a file into records, each with its time, label and hash.
// storage/spec/formats/file_format.h says what the spec of a format contains, and how to add a
// format.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/local.h"
#include "storage/formats/expression_tally.h"
#include "storage/formats/left_out_reasons.h"
#include "storage/formats/record_starts.h"
#include "storage/formats/unknown_fact.h"
#include "storage/gather/payload_cut.h"
#include "storage/segments/segment_rows.h"
#include "storage/spec/dataset_spec.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {

// A file to be indexed.
struct FileInput {
  std::string root;  // The folder of the dataset.
  std::string path;  // The path below it.
  FileIdentity identity = {};
  // Where to continue in a file that has grown: the end of the last record taken, and the number of
  // records taken, including bad ones. 0, 0 means the beginning. For a series, see series_view.h.
  int64_t from_byte = 0;
  int64_t from_record = 0;
  // Where to stop, for formats that read in pieces: after the record with which this number of
  // records, including bad ones, or of bytes is reached.
  int64_t max_records = std::numeric_limits<int64_t>::max();
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
  // How much is read in any case, also of a record that is longer than it may be: such a record may
  // reach to the end of the file. For those who look at a part of it.
  int64_t most_bytes = std::numeric_limits<int64_t>::max();
  // Records before this number were counted by an earlier reading.
  int64_t counted = 0;
  // See IndexedFile.
  bool columns_moved = false;
  // Whether the caller no longer wants the file. A format that may take long for one piece of a
  // file asks it meanwhile, and then ends early; the result must be ignored. Thread-safe; empty:
  // it is wanted.
  std::function<bool()> is_unwanted = {};
  // The present time, for records that are not in a dataset. A record without a time then has this
  // one, and one whose label cannot be read has none: IndexedFile::unknown tells both. A record of
  // CSV whose fields are all empty is a record, too.
  std::optional<Timestamp> present = std::nullopt;
};

inline absl::Status CheckWanted(const FileInput& input) {
  if (!input.is_unwanted || !input.is_unwanted()) return absl::OkStatus();
  return Cancelled("{} is no longer wanted", input.path);
}

// Whether a piece of a file that has come this far is full.
inline bool IsFull(const FileInput& input, int64_t records_done, int64_t bytes_done) {
  return records_done - input.from_record >= input.max_records ||
         bytes_done - input.from_byte >= input.max_bytes;
}

struct BadRecord {
  int64_t position = 0;  // The number of the record in the file, from 0.
  std::string reason;
  int64_t lost_bytes = 0;  // The bytes around it in which no record could be found.
};

inline constexpr size_t kMaxBadRecords = 10'000;

// The reason for leaving out a record without a label, if the spec asks for that.
inline constexpr std::string_view kNoLabel = "it has no label";

// The good records of a file, in order, and the bad ones.
struct IndexedFile {
  SegmentRows rows;
  std::vector<int64_t> positions;  // The positions of the rows.
  std::vector<BadRecord> bad;      // The first kMaxBadRecords of them.
  int64_t num_bad = 0;
  int64_t lost_bytes = 0;  // The lost bytes of all bad records.
  // The lost bytes that are zeros, or in a record with zeros: a crash or a full disk writes them.
  // They do not show that the file is another one than the spec says.
  int64_t zeroed_bytes = 0;
  int64_t num_filtered = 0;  // Records that do not satisfy `where`.
  std::vector<ExpressionTally> tallies;
  LeftOutReasons left_out;  // All bad records, those that the spec leaves out, and the remarks.
  // Remarks about the file, which cost no record.
  std::vector<std::string> remarks;
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  // Where the reading ended, unpacked. It may be after `bytes_done`. 0 when the format does not
  // say.
  int64_t num_bytes = 0;
  // Whether it was stopped by `max_records` or `max_bytes`. There may be more after `bytes_done`.
  bool more = false;
  // Whether a header among the records changes the order of the columns. The records after it are
  // skipped, up to the next header that fits.
  bool columns_moved = false;
  // The group of each row, numbered by first appearance, when the spec has a `series`. Empty when
  // all rows belong to one group.
  std::vector<int64_t> groups;
  // The unknown facts about records that are not in a dataset, in order; see FileInput::present.
  std::vector<UnknownFact> unknown;
  // Why the file does not match the spec, although its records do. Empty when it matches. A file
  // that does not match is quarantined, unless it has grown; a grown file keeps its samples.
  std::string misfit;

  // Adds the record at `position`, which begins at `offset` in the file.
  void AddGood(int64_t position, int64_t offset, std::string_view bytes, Timestamp time,
               const Label& label);
  // Does the same for a record whose bytes are not available.
  void AddHashed(int64_t position, int64_t offset, int64_t size, uint64_t hash, Timestamp time,
                 const Label& label);
  void AddBad(int64_t position, std::string reason);
  // Does the same where no record could be found in `bytes` bytes. Their number of records is
  // unknown; they count as one.
  void AddLost(int64_t position, int64_t bytes, std::string reason);
  // Does the same where some of the bytes are zeros.
  void AddZeroed(int64_t position, int64_t bytes, std::string reason);
  // Adds the bytes to the last one added, a bad record.
  void AddLostBytes(int64_t bytes);
  // Adds a remark, which costs no record. `num_members`: see LeftOutReason.
  void AddRemark(std::string reason, int64_t num_members);
  // Removes the last one added, a bad record without lost bytes.
  void RemoveLastBad();
  // Removes the rows without a label and counts them.
  void DropUnlabelled();
};

// Thread-safe, because it is immutable.
class Format {
 public:
  virtual ~Format() = default;

  // Reads a file from `from_byte` on. A status other than OK concerns the file as a whole.
  // DATA_LOSS and INVALID_ARGUMENT mean that the file will stay bad until it changes. So does
  // FAILED_PRECONDITION, which means that a user's code fails on the bytes from `from_byte` on.
  virtual absl::StatusOr<IndexedFile> Index(const FileInput& input) const = 0;

  // Whether a grown file can be read from where it ended.
  virtual bool CanAppend() const { return false; }

  // Whether Index() respects `max_records` and `max_bytes` and can continue where it stopped. This
  // does not depend on what the spec says about growing files.
  virtual bool ReadsInPieces() const { return false; }

  // Returns where records begin at or after `offset` of a file's content, which is greater than 0.
  // There is no candidate when none is found nearby. Formats that read in pieces define it.
  virtual absl::StatusOr<RecordStarts> FindRecords(const OpenFile& /*file*/,
                                                   int64_t /*offset*/) const {
    return RecordStarts();
  }

  // Returns the number of bytes of a record before those of its sample.
  virtual int64_t LeadBytes() const { return 0; }
};

// Whether a window of a series waits for its label, or is made once its own rows are there.
enum class WindowLabels { kNeeded, kWhereKnown };

// Makes the format of a dataset. `files` must outlive it. INVALID_ARGUMENT for what the spec's own
// check cannot see: an unknown time zone or time format.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const DatasetSpec& spec, UnpackedCache& files,
                                                   WindowLabels labels = WindowLabels::kNeeded);

// Returns the other files that belong to a sample file: its labels and its time. The paths are
// absolute. The files may not exist.
std::vector<std::string> CompanionsOf(const DatasetSpec& spec, const FileInput& input);

// Whether a file with this path, below the dataset's folder, belongs to a sample file rather than
// being one.
bool IsCompanion(const DatasetSpec& spec, const std::string& path);

// Fills in `format.columns` from the header of `path` (absolute) when the spec leaves them open.
// Otherwise does nothing. INVALID_ARGUMENT when the header lacks a column that the spec names, or
// when the completed spec could not be read back.
absl::Status CompleteSpec(const std::string& path, UnpackedCache& files, DatasetSpec& spec);

PayloadCut CutOf(const DatasetSpec& spec);

}  // namespace tidemill::storage
