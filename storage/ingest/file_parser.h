// Turns a changed file into what must be committed about it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/catalog/file_scan.h"
#include "storage/catalog/files_table.h"
#include "storage/formats/format.h"
#include "storage/ingest/old_segments.h"

namespace tidemill::storage {

struct ParsedFile {
  ChangedFile file;
  // Whether the file changed or vanished while it was read, or cannot be read now. It is left to
  // the next sync.
  bool postponed = false;
  // Why the whole file is quarantined.
  std::optional<std::string> failure = std::nullopt;
  IndexedFile found = {};
  // The segments that `found` is compared with. For a replaced or vanished file, they are all its
  // segments. When each sample is a file, it is the segment with that sample. For a grown file, it
  // is the last segment. Empty for a new file, and for one that is resumed.
  std::vector<OldSegment> old = {};
};

// Returns what lies behind a piece of the file `id`. `found.more` of the piece must be true.
ChangedFile RestOf(const ParsedFile& piece, FileId id);

// Thread-safe.
class FileParser {
 public:
  // All must outlive this object.
  FileParser(db::Database& database, UnpackedCache& files, const Format& format,
             const DatasetSpec& spec, DatasetId dataset, std::string storage_folder);

  // Reads the file. Reads only as much as the limits in its input allow when it need not be
  // compared with earlier content. Trouble with the file is a part of the result. A status other
  // than OK concerns the database.
  absl::StatusOr<ParsedFile> Parse(ChangedFile file) const;

  // Turns a piece with a failure into one that deletes everything ingested from the file before.
  // That must be committed already.
  absl::Status GiveUp(ParsedFile& piece) const;

 private:
  // Fills in where a partly ingested file continues.
  absl::Status Resume(ChangedFile& file) const;
  // Whether a grown file still begins with what was ingested from it. The last record of `old` is
  // compared, and as much of what was taken as keeps the cost of all growth in proportion to the
  // file. Sets how far that went.
  absl::StatusOr<bool> ContinuesWhatWasTaken(ChangedFile& file,
                                             const std::vector<OldSegment>& old) const;
  static bool HasLastRecord(const OpenFile& data, const std::vector<OldSegment>& old);
  // Says what the file is, if that explains why no record could be read.
  std::string WithKind(const ChangedFile& file, std::string failure) const;
  absl::StatusOr<std::vector<OldSegment>> AllOld(const files_table::KnownFile& known) const;
  void Index(ParsedFile& parsed) const;

  db::Database& database_;
  UnpackedCache& files_;
  const Format& format_;
  const DatasetSpec& spec_;
  mutable OldSegments old_segments_;
};

}  // namespace tidemill::storage
