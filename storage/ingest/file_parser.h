// From a changed file to what there is to be committed about it.
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
#include "storage/filesystems/data_roots.h"
#include "storage/formats/format.h"
#include "storage/ingest/old_segments.h"

namespace tidemill::storage {

struct ParsedFile {
  ChangedFile file;
  // It changed or went while it was read, or cannot be read now: left to the next sync.
  bool postponed = false;
  // Why the whole file is quarantined.
  std::optional<std::string> failure = std::nullopt;
  IndexedFile found = {};
  // What `found` is to be compared with: the file's segments when it was replaced or has vanished,
  // the one with its sample where the format is one file a sample. Of a grown file the last one.
  // Empty for a new file, and for one that is resumed.
  std::vector<OldSegment> old = {};
};

// What lies behind a piece of the file `id` whose `found.more` says so.
ChangedFile RestOf(const ParsedFile& piece, FileId id);

// Thread-safe.
class FileParser {
 public:
  // All must outlive it. `roots`: which files may be read.
  FileParser(db::Database& database, UnpackedCache& files, const Format& format,
             const DatasetSpec& spec, DatasetId dataset, std::string storage_folder,
             DataRoots roots);

  // Reads the file, or as much of it as the limits in its input say, where nothing of it is to be
  // compared with what was there. Trouble with the file is part of the result; a status concerns
  // the database.
  absl::StatusOr<ParsedFile> Parse(ChangedFile file) const;

  // Makes a piece with a failure into one that gives up all that was taken in of the file before,
  // which must be committed.
  absl::Status GiveUp(ParsedFile& piece) const;

 private:
  // Fills in where a file that was taken in in part goes on.
  absl::Status Resume(ChangedFile& file) const;
  // Whether the file still begins with what was taken from it, as far as the last record of `old`
  // tells.
  bool ContinuesWhatWasTaken(const ChangedFile& file, const std::vector<OldSegment>& old) const;
  absl::StatusOr<std::vector<OldSegment>> AllOld(const files_table::KnownFile& known) const;
  void Index(ParsedFile& parsed) const;
  // INVALID_ARGUMENT for a file of labels or times that leads out of the allowed folders or is no
  // regular one. Links of sample files were judged when they were listed.
  absl::Status CheckCompanions(const FileInput& input) const;

  db::Database& database_;
  UnpackedCache& files_;
  const Format& format_;
  const DatasetSpec& spec_;
  mutable OldSegments old_segments_;
  const DataRoots roots_;
};

}  // namespace tidemill::storage
