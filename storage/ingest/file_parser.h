// Turns a changed file into the rows to commit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/catalog/file_scan.h"
#include "storage/catalog/files_table.h"
#include "storage/formats/format.h"
#include "storage/ingest/earlier_version.h"
#include "storage/ingest/old_segments.h"

namespace tidemill::storage {

// Why nothing is taken from a file now. The next sync reads it.
struct Postponement {
  // Whether it changed or vanished while it was read. Otherwise it cannot be read.
  bool changed = false;
  std::string reason = {};
};

struct ParsedFile {
  ChangedFile file;
  std::optional<Postponement> postponed = std::nullopt;
  // Why the whole file is quarantined.
  std::optional<std::string> failure = std::nullopt;
  IndexedFile found = {};
  // The sum of the first and the last bytes that were taken of a growing file. They are all of a
  // file of up to 32 MiB.
  std::optional<int64_t> edge_sum = std::nullopt;
  // The segments that `found` is compared with. For a replaced or vanished file: all its segments.
  // When each sample is a file: the segment with that sample. For a grown file: the last segment.
  // Empty for a new file, and for a resumed one. For a new file of a version that takes over keys:
  // the segments that the earlier version has of it.
  std::vector<OldSegment> old = {};
};

// Returns what follows a piece of the file `id`. `found.more` of the piece must be true.
ChangedFile RestOf(const ParsedFile& piece, FileId id);

// Thread-safe.
class FileParser {
 public:
  // All must outlive this object. `earlier` is the version whose keys are taken over, or nullptr.
  // `is_unwanted` says whether the dataset is being deleted; it is thread-safe.
  FileParser(db::Database& database, UnpackedCache& files, const Format& format,
             const DatasetEntry& dataset, std::string storage_folder, const EarlierVersion* earlier,
             std::function<bool()> is_unwanted);

  // Reads the file. When the file need not be compared with earlier content, reads only as much as
  // the limits in its input allow. A failure of the file is a part of the result. CANCELLED when
  // the file is no longer wanted; another status than OK concerns the database.
  absl::StatusOr<ParsedFile> Parse(ChangedFile file) const;

  // Turns a piece with a failure into one that deletes everything ingested from the file so far.
  // The earlier pieces must be committed already.
  absl::Status GiveUp(ParsedFile& piece) const;

 private:
  // Fills in where a partly ingested file continues.
  absl::Status Resume(ChangedFile& file) const;
  // Whether a grown file still begins with what was ingested from it. Compares the last record of
  // `old`, and a bounded part of the earlier records, so that the total cost of all growth is
  // linear in the size of the file. Sets how far the comparison went.
  absl::StatusOr<bool> ContinuesWhatWasTaken(ChangedFile& file,
                                             const std::vector<OldSegment>& old) const;
  // Whether the last record of `old` is where it was. Also when none was taken, if the sum tells
  // whether the file is the same.
  static bool HasLastRecord(const OpenFile& data, const std::vector<OldSegment>& old, bool has_sum);
  // For a growing file that is not compressed.
  std::optional<int64_t> EdgeSumOf(const ChangedFile& file, int64_t bytes_done) const;
  // Adds what kind of file it is, if that explains why no record could be read.
  std::string WithKind(const ChangedFile& file, std::string failure) const;
  // Remarks on what is after the packed data of the file.
  void RemarkOnTrailingBytes(const ChangedFile& file, IndexedFile& found) const;
  void Index(ParsedFile& parsed) const;
  // Leaves the file out as a whole when too many of its records are bad. Returns the remark about
  // its sound records.
  std::string_view Judge(const IndexedFile& found, ParsedFile& parsed) const;
  absl::Status CheckStays() const;
  // Handles a failure of a user's code on the file. A file that was partly ingested is given up
  // whole. A file that grows loses only the new bytes; returns false when there are none.
  bool TakeFault(const absl::Status& fault, ParsedFile& parsed) const;

  db::Database& database_;
  UnpackedCache& files_;
  const Format& format_;
  const DatasetSpec& spec_;
  mutable OldSegments old_segments_;
  const EarlierVersion* const earlier_;
  const std::function<bool()> is_unwanted_;
};

}  // namespace tidemill::storage
