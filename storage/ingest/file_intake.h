// Turns changed files into committed samples: the part of a sync after the changes are known.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/catalog/file_scan.h"
#include "storage/ingest/batch_committer.h"
#include "storage/ingest/deleted_records.h"
#include "storage/ingest/file_parser.h"
#include "storage/ingest/ingest_batch.h"

namespace tidemill::storage {

struct IntakeOptions {
  // A transaction ends after the file with which it reaches this number of files or samples. A
  // larger file is ingested in pieces of this number of records or bytes. Each piece is a
  // transaction.
  int64_t files_per_batch = 4096;
  int64_t samples_per_batch = 1 << 18;
  int64_t bytes_per_batch = 256 << 20;
  // The most samples of a segment.
  int64_t samples_per_segment = 1 << 20;
};

// Ingests files in the order of their paths. Groups of files are parsed in parallel. While one
// batch is committed, the next is parsed and built, and its column files are written.
// Thread-compatible.
class FileIntake {
 public:
  // All must outlive this object. `num_parsers` counts the threads of `parsers` and the caller's
  // thread.
  FileIntake(db::Database& database, const FileParser& parser, WorkerPool& parsers, int num_parsers,
             std::string storage_folder, const DatasetEntry& dataset, const IntakeOptions& options);

  // Called with the committed counts whenever they have changed. A failure ends the intake and is
  // its result.
  using Progress = std::function<absl::Status(const CommittedCounts&)>;

  // Returns when everything is committed and summarised. `misfits` maps paths to the reasons why
  // the files are quarantined without being read.
  absl::Status Take(std::vector<ChangedFile> files,
                    const std::map<std::string, std::string>& misfits, const Progress& progress);

  // A file from which Take() took nothing, although it had changed.
  struct Postponed {
    std::string path;  // The absolute path.
    Postponement why;
  };
  const std::vector<Postponed>& postponed() const { return postponed_; }

 private:
  size_t GroupEnd(const std::vector<ChangedFile>& files, size_t from) const;
  // Parses the files [from, to): each whole file, or its first piece.
  absl::StatusOr<std::vector<ParsedFile>> Parse(std::vector<ChangedFile>& files, size_t from,
                                                size_t to,
                                                const std::map<std::string, std::string>& misfits);
  // Ingests the rest of the file, up to its end.
  absl::Status Add(ParsedFile parsed, FileId new_id);
  absl::Status HandOver();

  db::Database& database_;
  const FileParser& parser_;
  WorkerPool& parsers_;
  const int num_parsers_;
  const std::string storage_folder_;
  const DatasetEntry& dataset_;
  const IntakeOptions options_;
  DeletedRecords deleted_;
  std::optional<IngestBatchBuilder> builder_;
  BatchCommitter committer_;
  std::vector<Postponed> postponed_;
  Progress progress_;
};

}  // namespace tidemill::storage
