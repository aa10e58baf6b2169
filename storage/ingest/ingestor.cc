#include "storage/ingest/ingestor.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "records/text.h"
#include "storage/catalog/datasets_table.h"
#include "storage/catalog/file_scan.h"
#include "storage/catalog/files_table.h"
#include "storage/formats/format.h"
#include "storage/ingest/earlier_version.h"
#include "storage/ingest/file_intake.h"
#include "storage/ingest/file_parser.h"
#include "storage/ingest/ingest_writer.h"

// The stages of a sync are drawn in ingestor.h.

namespace tidemill::storage {

namespace {

// How often a waiting sync reports, and checks whether it is still wanted.
constexpr Duration kReportInterval{200'000};

}  // namespace

// One look at the files of one dataset. A sync may take several.
class Ingestor::Run {
 public:
  // `settle` is nullptr for a sync that does not wait. `done` is what the earlier looks have done.
  Run(Ingestor& ingestor, DatasetEntry dataset, SettleWait* settle,
      const std::function<void(const SyncProgress&)>& progress, SyncProgress& done)
      : ingestor_(ingestor),
        dataset_(std::move(dataset)),
        settle_(settle),
        progress_(progress),
        before_(done),
        done_(done) {}

  // Returns how long to wait before the next look. Absent when this was the last one.
  absl::StatusOr<std::optional<Duration>> Look() {
    if (dataset_.superseded) {
      return FailedPrecondition(
          "dataset {} is an earlier version: nothing is ingested into it any "
          "more; run the pipeline again to continue with the new version",
          dataset_.name);
    }
    RETURN_IF_ERROR(ClearOnce());
    RETURN_IF_ERROR(OpenEarlier());
    ASSIGN_OR_RETURN(FileScan scan, Scan());
    std::vector<UnsettledFile> awaited;
    if (settle_ != nullptr) awaited = settle_->Awaited(scan);
    Count(scan, std::ssize(awaited));
    if (settle_ != nullptr) {
      const auto pause = settle_->Pause(awaited, Now(), SettleWait::Clock::now());
      if (pause) return pause;
    }
    done_.num_awaited = 0;
    RETURN_IF_ERROR(QuarantineUnnamed(scan.unnamed));
    Report();
    RETURN_IF_ERROR(Complete(scan.changed));
    const absl::Status taken = Take(std::move(scan.changed));
    if (!taken.ok()) Unclear();
    RETURN_IF_ERROR(taken);
    // Files that changed or went while they were read count as done: nothing more is done to them.
    const int64_t num_done = done_.num_files_found - std::ssize(scan.unsettled);
    if (std::exchange(done_.num_files_done, num_done) != num_done) Report();
    if (const auto pause = LookAgain(awaited)) return pause;
    return Finish(scan.unsettled.empty() && postponed_.empty());
  }

 private:
  Duration Settle() const { return dataset_.spec.settle.value_or(ingestor_.options_.settle); }

  void Count(const FileScan& scan, int64_t num_awaited) {
    done_.num_awaited = num_awaited;
    done_.num_files_found = scan.num_found;
    done_.num_passed_over = scan.passed_over.count;
    done_.first_passed_over = AsText(scan.passed_over.first);
    done_.num_files_done = std::max<int64_t>(
        0, scan.num_found - std::ssize(scan.unsettled) - std::ssize(scan.changed));
  }

  // Notes what was not taken. Returns when to look again for files that changed while they were
  // read.
  std::optional<Duration> LookAgain(const std::vector<UnsettledFile>& awaited) {
    if (settle_ == nullptr) return std::nullopt;
    std::vector<std::string> changed;
    for (const FileIntake::Postponed& file : postponed_) {
      if (file.why.changed) changed.push_back(file.path);
    }
    const auto pause = settle_->Continue(changed, awaited, Settle(), SettleWait::Clock::now());
    if (pause) return pause;
    for (const UnsettledFile& file : awaited) {
      NoteNotTaken(file.path, settle_->WhyUnsettled(Settle()));
    }
    for (const FileIntake::Postponed& file : postponed_) NoteNotTaken(file.path, file.why.reason);
    std::ranges::sort(done_.not_taken, {}, &FileNotTaken::path);
    if (done_.num_not_taken > 0) Report();
    return std::nullopt;
  }

  void NoteNotTaken(const std::string& path, const std::string& reason) {
    ++done_.num_not_taken;
    if (std::ssize(done_.not_taken) >= SyncProgress::kMostNamed) return;
    const std::string below = path.substr(std::min(path.size(), dataset_.spec.path.size() + 1));
    done_.not_taken.push_back({below, AsText(reason)});
  }

  // A file that has not settled by then gets new keys: a run must not wait without end for it.
  absl::StatusOr<std::optional<Duration>> Finish(bool all_settled) {
    if (earlier_ != nullptr && (settle_ != nullptr || all_settled)) {
      RETURN_IF_ERROR(ingestor_.catalog_.FinishTakeOver(dataset_.id));
    }
    return std::nullopt;
  }

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
    if (settle_ != nullptr) settle_->Begin(dataset_.spec, *listed);
    std::vector<files_table::KnownFile> known;
    RETURN_IF_ERROR(ingestor_.database_.Transact([&](pqxx::work& work) {
      known = files_table::ListFiles(work, dataset_.id);
      return absl::OkStatus();
    }));
    ASSIGN_OR_RETURN(FileScan scan, CompareFiles(dataset_.spec, *listed, known, Settle(), Now()));
    if (earlier_ == nullptr) return scan;
    for (ChangedFile& file : scan.changed) {
      const files_table::KnownFile* const before = earlier_->FileAt(file.path);
      if (file.change == FileChange::kNew && before != nullptr) file.earlier = *before;
    }
    return scan;
  }

  // Reports files without a usable path, as it does other unusable files. A sync that finds nothing
  // new does not query the database.
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
    done_.num_quarantined = before_.num_quarantined + num_unnamed_;
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
    const FileParser parser(ingestor_.database_, ingestor_.files_, *format, dataset_, Folder(),
                            earlier_.get(),
                            [this] { return ingestor_.catalog_.IsLeaving(dataset_.id); });
    FileIntake intake(ingestor_.database_, parser, ingestor_.parsers_,
                      ingestor_.options_.num_parsers, Folder(), dataset_,
                      ingestor_.options_.intake);
    CommittedCounts total;
    const int64_t num_unchanged = done_.num_files_done;
    const auto report = [&](const CommittedCounts& counts) {
      total = counts;
      done_.num_files_done = std::min(done_.num_files_found, num_unchanged + counts.num_files);
      done_.num_samples = before_.num_samples + counts.num_samples;
      done_.num_quarantined = before_.num_quarantined + num_unnamed_ + counts.num_quarantined;
      done_.num_deleted = before_.num_deleted + counts.num_deleted;
      done_.num_replaced = before_.num_replaced + counts.num_replaced;
      Report();
      return CheckStays();
    };
    RETURN_IF_ERROR(intake.Take(std::move(files), misfits_, report));
    postponed_ = intake.postponed();
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
  SettleWait* const settle_;
  const std::function<void(const SyncProgress&)>& progress_;
  std::unique_ptr<EarlierVersion> earlier_;
  const SyncProgress before_;
  SyncProgress& done_;
  std::vector<FileIntake::Postponed> postponed_;
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

// Counts a sync that waits, while it lives.
class Ingestor::Waiting {
 public:
  Waiting(Ingestor& ingestor, DatasetId dataset) : ingestor_(ingestor), dataset_(dataset) {
    MutexLock lock(ingestor_.mutex_);
    ++ingestor_.waiting_[dataset_];
  }
  ~Waiting() {
    MutexLock lock(ingestor_.mutex_);
    if (--ingestor_.waiting_[dataset_] == 0) ingestor_.waiting_.erase(dataset_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Ingestor& ingestor_;
  const DatasetId dataset_;
};

bool Ingestor::IsAwaited(DatasetId dataset) {
  MutexLock lock(mutex_);
  return waiting_.contains(dataset);
}

absl::Status Ingestor::Pause(DatasetId dataset, Duration pause, const SyncWait& how,
                             const std::function<void()>& report) const {
  const auto end = SettleWait::Clock::now() + std::chrono::microseconds(pause.micros);
  for (auto now = SettleWait::Clock::now(); now < end; now = SettleWait::Clock::now()) {
    if (catalog_.IsLeaving(dataset)) return Cancelled("the dataset is being deleted or replaced");
    if (how.is_abandoned && how.is_abandoned()) return Cancelled("the caller of the sync has left");
    report();
    std::this_thread::sleep_for(std::min<SettleWait::Clock::duration>(
        end - now, std::chrono::microseconds(kReportInterval.micros)));
  }
  return absl::OkStatus();
}

absl::StatusOr<DatasetSnapshot> Ingestor::Sync(
    DatasetId dataset, bool wait, const std::function<void(const SyncProgress&)>& progress,
    const SyncWait& how) {
  std::optional<Waiting> waiting;
  if (wait) waiting.emplace(*this, dataset);
  std::optional<SettleWait> settle;
  SyncProgress done;
  while (true) {
    std::optional<Duration> pause;
    {
      // Not a lock on memory but the order of ingests of one dataset: held across SQL on purpose.
      const std::shared_ptr<Mutex> ingest = catalog_.LockOf(dataset);
      MutexLock lock(*ingest);
      // That one takes all files together, in the order of their paths.
      if (!wait && IsAwaited(dataset)) return catalog_.Snapshot(dataset);
      ASSIGN_OR_RETURN(DatasetEntry entry, catalog_.Find(dataset));
      if (wait && !settle) {
        const Duration limit = entry.spec.settle_limit.value_or(options_.settle_limit);
        settle.emplace(how.limit.value_or(limit), SettleWait::Clock::now());
      }
      Run run(*this, std::move(entry), settle ? &*settle : nullptr, progress, done);
      ASSIGN_OR_RETURN(pause, run.Look());
      if (!pause) return catalog_.Snapshot(dataset);
    }
    // Others use the dataset meanwhile.
    RETURN_IF_ERROR(Pause(dataset, *pause, how, [&] {
      if (progress) progress(done);
    }));
  }
}

}  // namespace tidemill::storage
