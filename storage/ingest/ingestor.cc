#include "storage/ingest/ingestor.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "records/text.h"
#include "storage/catalog/datasets_table.h"
#include "storage/catalog/file_scan.h"
#include "storage/catalog/files_table.h"
#include "storage/formats/format.h"
#include "storage/ingest/earlier_version.h"
#include "storage/ingest/file_intake.h"
#include "storage/ingest/file_parser.h"
#include "storage/ingest/ingest_writer.h"

namespace tidemill::storage {

namespace {

// How often a sync waits for files that keep changing before it continues without them.
constexpr int kMaxWaits = 3;
// Nor does it wait longer than this.
constexpr Duration kLongestWait{10'000'000};

}  // namespace

// One sync of one dataset.
class Ingestor::Run {
 public:
  Run(Ingestor& ingestor, DatasetEntry dataset,
      const std::function<void(const SyncProgress&)>& progress)
      : ingestor_(ingestor), dataset_(std::move(dataset)), progress_(progress) {}

  absl::StatusOr<DatasetSnapshot> Sync(bool wait) {
    if (dataset_.superseded) {
      return FailedPrecondition(
          "dataset {} is an earlier version: nothing is ingested into it any "
          "more; run the pipeline again to continue with the new version",
          dataset_.name);
    }
    RETURN_IF_ERROR(ClearOnce());
    RETURN_IF_ERROR(OpenEarlier());
    ASSIGN_OR_RETURN(FileScan scan, Scan());
    for (int waits = 0; wait && scan.num_unsettled > 0 && waits < kMaxWaits; ++waits) {
      if (scan.settled_at > Now() + kLongestWait) break;
      RETURN_IF_ERROR(CheckStays());
      const int64_t micros = std::max<int64_t>(0, scan.settled_at.micros - Now().micros);
      std::this_thread::sleep_for(std::chrono::microseconds(micros + 1000));
      ASSIGN_OR_RETURN(scan, Scan());
    }
    done_.num_files_found = scan.num_found;
    done_.num_passed_over = scan.passed_over.count;
    done_.first_passed_over = AsText(scan.passed_over.first);
    done_.num_files_done = std::max<int64_t>(
        0, scan.num_found - scan.num_unsettled - static_cast<int64_t>(scan.changed.size()));
    RETURN_IF_ERROR(QuarantineUnnamed(scan.unnamed));
    Report();
    RETURN_IF_ERROR(Complete(scan.changed));
    const absl::Status taken = Take(std::move(scan.changed));
    if (!taken.ok()) Unclear();
    RETURN_IF_ERROR(taken);
    // Files that changed or went while they were read count as done: nothing more is done to them.
    const int64_t num_done = done_.num_files_found - scan.num_unsettled;
    if (std::exchange(done_.num_files_done, num_done) != num_done) Report();
    // A file that has not settled by then gets new keys.
    if (earlier_ != nullptr && (wait || scan.num_unsettled == 0)) {
      RETURN_IF_ERROR(ingestor_.catalog_.FinishTakeOver(dataset_.id));
    }
    return ingestor_.catalog_.Snapshot(dataset_.id);
  }

 private:
  absl::Status ClearOnce() {
    {
      MutexLock lock(ingestor_.mutex_);
      if (ingestor_.cleared_.contains(dataset_.id)) return absl::OkStatus();
    }
    RETURN_IF_ERROR(RemoveOrphans(ingestor_.database_, Folder(), dataset_.id));
    MutexLock lock(ingestor_.mutex_);
    ingestor_.cleared_.insert(dataset_.id);
    return absl::OkStatus();
  }

  // A failed attempt may have left column files.
  void Unclear() {
    MutexLock lock(ingestor_.mutex_);
    ingestor_.cleared_.erase(dataset_.id);
  }

  // Reads what the version before this one has, if this one is to take over its keys.
  absl::Status OpenEarlier() {
    if (!dataset_.predecessor) return absl::OkStatus();
    ASSIGN_OR_RETURN(earlier_,
                     EarlierVersion::Open(ingestor_.database_, Folder(), *dataset_.predecessor));
    ASSIGN_OR_RETURN(const std::vector<int64_t> deleted, earlier_->DeletedHashes());
    return ingestor_.database_.Transact([&](pqxx::work& work) {
      datasets_table::AddDeletedRecordHashes(work, dataset_.id, deleted);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<FileScan> Scan() {
    const absl::StatusOr<FileListing> listed =
        ingestor_.files_.source().List(dataset_.spec.path, dataset_.spec.files);
    // Since it was registered the folder may have become a link, and the roots fewer.
    if (absl::IsInvalidArgument(listed.status())) {
      return FailedPrecondition("{}", std::string(listed.status().message()));
    }
    RETURN_IF_ERROR(listed.status());
    std::vector<files_table::KnownFile> known;
    RETURN_IF_ERROR(ingestor_.database_.Transact([&](pqxx::work& work) {
      known = files_table::ListFiles(work, dataset_.id);
      return absl::OkStatus();
    }));
    const Duration settle = dataset_.spec.settle.value_or(ingestor_.options_.settle);
    ASSIGN_OR_RETURN(FileScan scan, CompareFiles(dataset_.spec, *listed, known, settle, Now()));
    if (earlier_ == nullptr) return scan;
    for (ChangedFile& file : scan.changed) {
      const files_table::KnownFile* const before = earlier_->FileAt(file.path);
      if (file.change == FileChange::kNew && before != nullptr) file.earlier = *before;
    }
    return scan;
  }

  // Files that have no path to be known by. Said where the others that are no use are; a sync that
  // finds nothing new asks no database.
  absl::Status QuarantineUnnamed(const std::vector<std::string>& paths) {
    {
      MutexLock lock(ingestor_.mutex_);
      const auto known = ingestor_.unnamed_.find(dataset_.id);
      if (known != ingestor_.unnamed_.end() && known->second == paths) return absl::OkStatus();
    }
    RETURN_IF_ERROR(ingestor_.database_.Transact([&](pqxx::work& work) {
      num_unnamed_ = datasets_table::SetUnnamed(work, dataset_.id, paths);
      return absl::OkStatus();
    }));
    done_.num_quarantined = num_unnamed_;
    MutexLock lock(ingestor_.mutex_);
    ingestor_.unnamed_[dataset_.id] = paths;
    return absl::OkStatus();
  }

  // Takes the columns from the first file that has a header that fits, unless they are known.
  absl::Status Complete(const std::vector<ChangedFile>& files) {
    if (!dataset_.spec.format->LeavesColumnsOpen()) return absl::OkStatus();
    for (const ChangedFile& file : files) {
      if (file.change == FileChange::kVanished) continue;
      const absl::Status status = CompleteSpec(file.path, ingestor_.files_, dataset_.spec);
      if (!status.ok()) {
        misfits_[file.path] = std::string(status.message());
        continue;
      }
      dataset_.spec_text = config::Print(dataset_.spec);
      return ingestor_.database_.Transact([&](pqxx::work& work) {
        datasets_table::SetSpec(work, dataset_.id, dataset_.spec_text);
        return absl::OkStatus();
      });
    }
    return absl::OkStatus();
  }

  absl::Status Take(std::vector<ChangedFile> files) {
    if (files.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::unique_ptr<Format> format,
                     MakeFormat(dataset_.spec, ingestor_.files_));
    const FileParser parser(ingestor_.database_, ingestor_.files_, *format, dataset_.spec,
                            dataset_.id, Folder(), earlier_.get(),
                            [this] { return ingestor_.catalog_.IsLeaving(dataset_.id); });
    FileIntake intake(ingestor_.database_, parser, ingestor_.parsers_,
                      ingestor_.options_.num_parsers, Folder(), dataset_,
                      ingestor_.options_.intake);
    CommittedCounts total;
    const int64_t num_unchanged = done_.num_files_done;
    const auto report = [&](const CommittedCounts& counts) {
      total = counts;
      done_.num_files_done = std::min(done_.num_files_found, num_unchanged + counts.num_files);
      done_.num_samples = counts.num_samples;
      done_.num_quarantined = num_unnamed_ + counts.num_quarantined;
      done_.num_deleted = counts.num_deleted;
      Report();
      return CheckStays();
    };
    RETURN_IF_ERROR(intake.Take(std::move(files), misfits_, report));
    log::Info("files ingested", {{"dataset", dataset_.name},
                                 {"files", std::to_string(total.num_files)},
                                 {"samples", std::to_string(total.num_samples)},
                                 {"deleted", std::to_string(total.num_deleted)},
                                 {"quarantined", std::to_string(total.num_quarantined)}});
    return absl::OkStatus();
  }

  // A deletion of the dataset waits for the lock that this holds.
  absl::Status CheckStays() const {
    if (!ingestor_.catalog_.IsLeaving(dataset_.id)) return absl::OkStatus();
    return Cancelled("dataset {} is being deleted or replaced", dataset_.name);
  }

  void Report() const {
    if (progress_) progress_(done_);
  }

  const std::string& Folder() const { return ingestor_.catalog_.options().folder; }

  Ingestor& ingestor_;
  DatasetEntry dataset_;
  const std::function<void(const SyncProgress&)>& progress_;
  std::unique_ptr<EarlierVersion> earlier_;
  SyncProgress done_;
  int64_t num_unnamed_ = 0;  // That no sync before has found.
  // Why the columns could not be taken from a file, by its path.
  std::map<std::string, std::string> misfits_;
};

Ingestor::Ingestor(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files,
                   IngestorOptions options)
    : database_(database),
      catalog_(catalog),
      files_(files),
      options_(options),
      parsers_("parse", options.num_parsers - 1) {}

absl::StatusOr<DatasetSnapshot> Ingestor::Sync(
    DatasetId dataset, bool wait, const std::function<void(const SyncProgress&)>& progress) {
  // Not a lock on memory but the order of ingests of one dataset: held across SQL on purpose.
  const std::shared_ptr<Mutex> ingest = catalog_.LockOf(dataset);
  MutexLock lock(*ingest);
  ASSIGN_OR_RETURN(DatasetEntry entry, catalog_.Find(dataset));
  return Run(*this, std::move(entry), progress).Sync(wait);
}

}  // namespace tidemill::storage
