// From changed files to committed samples: what one sync does once it knows what has changed.
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
#include "storage/ingest/file_parser.h"
#include "storage/ingest/ingest_batch.h"

namespace tidemill::storage {

struct IntakeOptions {
  // A transaction ends behind the file with which it has so many files or samples. A larger file is
  // taken in in pieces of so many records or bytes, each a transaction.
  int64_t files_per_batch = 4096;
  int64_t samples_per_batch = 1 << 18;
  int64_t bytes_per_batch = 256 << 20;
  // Most samples of one segment.
  int64_t samples_per_segment = 1 << 20;
};

// Takes in files, in the order of their paths. Groups of files are parsed side by side; while one
// batch is committed, the next is parsed, built and its column files are written.
// Thread-compatible.
class FileIntake {
 public:
  // All must outlive it. `num_parsers`: of the threads of `parsers`, with the caller's.
  FileIntake(db::Database& database, const FileParser& parser, WorkerPool& parsers, int num_parsers,
             std::string storage_folder, const DatasetEntry& dataset, const IntakeOptions& options);

  // Called with what is committed whenever that has changed.
  using Progress = std::function<void(const CommittedCounts&)>;

  // Returns when all is committed and summarised. `misfits`: why files are quarantined without
  // being read, by path.
  absl::Status Take(std::vector<ChangedFile> files,
                    const std::map<std::string, std::string>& misfits, const Progress& progress);

 private:
  size_t GroupEnd(const std::vector<ChangedFile>& files, size_t from) const;
  // The files [from, to), each or its first piece.
  absl::StatusOr<std::vector<ParsedFile>> Parse(std::vector<ChangedFile>& files, size_t from,
                                                size_t to,
                                                const std::map<std::string, std::string>& misfits);
  // Goes on with the file to its end.
  absl::Status Add(ParsedFile parsed, FileId new_id);
  absl::Status HandOver();

  db::Database& database_;
  const FileParser& parser_;
  WorkerPool& parsers_;
  const int num_parsers_;
  const std::string storage_folder_;
  const DatasetEntry& dataset_;
  const IntakeOptions options_;
  std::optional<IngestBatchBuilder> builder_;
  BatchCommitter committer_;
  Progress progress_;
};

}  // namespace tidemill::storage
