// File formats: from a file to its records, each with time, label and hash. What a format's spec
// says, and how to add one, is in storage/client/formats/file_format.h.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/label_reader.h"
#include "storage/client/payload_cut.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/local.h"
#include "storage/formats/left_out_reasons.h"
#include "storage/segments/segment_rows.h"

namespace tidemill::storage {

// A file to be indexed.
struct FileInput {
  std::string root;  // The dataset's folder.
  std::string path;  // Below it.
  FileIdentity identity = {};
  // Where to go on in a file that has grown: the end of the last record taken, and how many were
  // taken, bad ones included. 0, 0: from the beginning. For a series see series_view.h.
  int64_t from_byte = 0;
  int64_t from_record = 0;
  // Where to stop, of formats that read in pieces: behind the record with which so many records,
  // bad ones included, or so many bytes are taken.
  int64_t max_records = std::numeric_limits<int64_t>::max();
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
};

// Whether a piece of a file that has come so far is full.
inline bool IsFull(const FileInput& input, int64_t records_done, int64_t bytes_done) {
  return records_done - input.from_record >= input.max_records ||
         bytes_done - input.from_byte >= input.max_bytes;
}

struct BadRecord {
  int64_t position = 0;  // Zero-based record in the file.
  std::string reason;
};

inline constexpr size_t kMaxBadRecords = 10'000;

// Why a record without a label is left out, where the spec wants that.
inline constexpr std::string_view kNoLabel = "it has no label";

// The good records of a file, in order, and the bad ones.
struct IndexedFile {
  SegmentRows rows;
  std::vector<int64_t> positions;  // Of rows.
  std::vector<BadRecord> bad;      // The first kMaxBadRecords of them.
  int64_t num_bad = 0;
  LeftOutReasons left_out;  // All of them, and what the spec wants left out.
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  // It was stopped by `max_records` or `max_bytes`: there may be more behind `bytes_done`.
  bool more = false;
  // Of rows, for `series` in the spec: which group each belongs to, numbered by first appearance.
  // Empty: all belong to one.
  std::vector<int64_t> groups;
  // Why the file is not what the spec says, though its records are; empty: it is. Such a file is
  // quarantined unless it has grown: then the samples that it has are not given up.
  std::string misfit;

  // Adds the record at `position`, which lies at `offset` in the file.
  void AddGood(int64_t position, int64_t offset, std::string_view bytes, Timestamp time,
               const Label& label);
  // The same of a record whose bytes are not at hand.
  void AddHashed(int64_t position, int64_t offset, int64_t size, uint64_t hash, Timestamp time,
                 const Label& label);
  void AddBad(int64_t position, std::string reason);
  // Takes back the last one added, a bad record.
  void RemoveLastBad();
  // Leaves out the rows without a label and counts them.
  void DropUnlabelled();
};

// Thread-safe: immutable once made.
class Format {
 public:
  virtual ~Format() = default;

  // Reads a file from `from_byte` on. A status other than OK concerns the file as a whole:
  // DATA_LOSS and INVALID_ARGUMENT say that it will not get better before it changes.
  virtual absl::StatusOr<IndexedFile> Index(const FileInput& input) const = 0;

  // Whether a grown file may be taken from where it ended.
  virtual bool CanAppend() const { return false; }

  // Whether Index() heeds `max_records` and `max_bytes` and goes on from where it stopped, whatever
  // the spec says of growing files.
  virtual bool ReadsInPieces() const { return false; }

  // Bytes of a record that stand before those of its sample.
  virtual int64_t LeadBytes() const { return 0; }
};

// The format of a dataset. `files` must outlive it. INVALID_ARGUMENT for what the spec's own check
// cannot see: an unknown time zone or time format.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const DatasetSpec& spec, UnpackedCache& files);

// Other files that belong to a sample file: its labels, its time. Absolute, existing or not.
std::vector<std::string> CompanionsOf(const DatasetSpec& spec, const FileInput& input);

// Fills in `format.columns` from the header of `path` (absolute) when the spec leaves it open; OK
// without a change for a spec that needs nothing. INVALID_ARGUMENT when the header lacks a column
// that the spec names, or when the completed spec could not be read back.
absl::Status CompleteSpec(const std::string& path, UnpackedCache& files, DatasetSpec& spec);

PayloadCut CutOf(const DatasetSpec& spec);

}  // namespace tidemill::storage
