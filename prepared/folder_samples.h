// Prepared rows in files of a folder: on a disk, or in memory where the folder is in /dev/shm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/mutex.h"
#include "prepared/folder_budget.h"
#include "prepared/prepared_samples.h"
#include "prepared/row_file.h"

namespace tidemill::prepared {

// What one process appends others find a moment later. A process that is killed loses nothing that
// it had appended. When the folder is removed, or the disk is full, rows are missing, and the log
// says so once. What in the folder is not a file of rows is passed over.
//
// One thread at a time appends. Meanwhile, others find rows.
class FolderSamples final : public PreparedSamples {
 public:
  // Opens the rows of a point. `budget` must outlive it.
  static absl::StatusOr<std::unique_ptr<FolderSamples>> Open(const FolderBudget& budget,
                                                             std::string digest,
                                                             const PointAbout& about,
                                                             RowColumns columns);

  void Find(std::span<const SampleName> names, NamedRows& rows) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool Keep(std::span<const SampleName> names, const NamedRows& rows) override
      ABSL_LOCKS_EXCLUDED(appending_, mutex_);
  StoreCounts counts() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Place {
    std::shared_ptr<const RowFile> file;  // Shared with reads that run.
    RowPlace at;
  };
  // A row to read, without the lock.
  struct Wanted {
    int64_t row = 0;
    Place place;
  };

  FolderSamples(const FolderBudget& budget, std::string digest, std::string folder,
                RowColumns columns);

  // A file that this process knows.
  struct KnownFile {
    std::shared_ptr<RowFile> file;
    // Whether this process appends to it, so that it holds nothing unknown.
    bool is_own = false;
  };

  std::vector<Wanted> Look(std::span<const SampleName> names, const NamedRows& rows) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether to look for what others have added. `lacks` says that a row is missing.
  bool IsRefreshDue(int64_t now, bool lacks) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Scan(const std::shared_ptr<RowFile>& file) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropRemovedFiles() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the rows that are not known yet.
  std::vector<int64_t> NewRows(std::span<const SampleName> names, const NamedRows& rows) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::vector<RowPlace>> Append(std::span<const SampleName> names,
                                               const NamedRows& rows,
                                               std::span<const int64_t> which)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(appending_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Opens a file to append to, as `own_`.
  absl::Status OpenOwn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(appending_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns false.
  bool Refuse(int64_t num_rows, const absl::Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(appending_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteDamage(const Wanted& wanted, const SampleName& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FolderBudget& budget_;
  const std::string digest_;
  const std::string folder_;
  const RowColumns columns_;
  Mutex appending_ ABSL_ACQUIRED_BEFORE(mutex_);
  std::shared_ptr<RowFile> own_ ABSL_GUARDED_BY(appending_);  // One of `files_`.
  // Until then, no room is looked for.
  int64_t full_until_ns_ ABSL_GUARDED_BY(appending_) = 0;
  bool has_said_full_ ABSL_GUARDED_BY(appending_) = false;
  mutable Mutex mutex_;
  std::vector<KnownFile> files_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<SampleName, Place> places_ ABSL_GUARDED_BY(mutex_);
  StoreCounts counts_ ABSL_GUARDED_BY(mutex_);
  int64_t refreshed_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t refresh_took_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_said_damage_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemill::prepared
