// The prepared rows of a host: in memory as far as its budget reaches, then on disk. Besides, in a
// store that hosts share, if there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "base/time.h"
#include "prepared/claims.h"
#include "prepared/folder_budget.h"
#include "prepared/prepared_samples.h"
#include "prepared/shared_store.h"

namespace tidemill::prepared {

struct HostStoreOptions {
  // A folder of a file system in memory, such as one in /dev/shm; all processes of a stack on this
  // host name the same. A store with an empty name or no bytes is left out.
  std::string memory_folder = {};
  int64_t memory_bytes = 0;
  std::string disk_folder = {};
  int64_t disk_bytes = 0;
  Duration keep_unused{int64_t{7} * 24 * 3600 * 1'000'000};
  // s3://bucket/prefix of the store that hosts share (storage/prepared_objects).
  std::string object_store = {};
  int64_t object_store_bytes = 0;

  friend bool operator==(const HostStoreOptions&, const HostStoreOptions&) = default;
};

// Thread-safe. Must outlive what it opens.
class HostStore {
 public:
  // A store into whose folder other users could write is left out, and the log says so. `shared`
  // may be nullptr. The object store of `options` is for those who open that.
  static std::unique_ptr<HostStore> Open(const HostStoreOptions& options,
                                         std::unique_ptr<SharedStore> shared = nullptr);

  bool has_room() const { return memory_.has_value() || disk_.has_value() || shared_ != nullptr; }
  const std::optional<FolderBudget>& memory() const { return memory_; }
  const std::optional<FolderBudget>& disk() const { return disk_; }
  SharedStore* shared() const { return shared_.get(); }

  // Whether a user has asked for the rows of a point (`tidemill datasets prepare`).
  bool IsAskedFor(const std::string& digest) const {
    return (disk_.has_value() && disk_->IsAskedFor(digest)) ||
           (shared_ != nullptr && shared_->IsAskedFor(digest));
  }

  // Whether anything was kept at a point on this host.
  bool HasPoint(const std::string& digest) const {
    const auto has = [&](const std::optional<FolderBudget>& budget) {
      return budget.has_value() && files::Exists(files::Join(budget->folder(), digest));
    };
    return has(memory_) || has(disk_);
  }

  // Opens the rows of a point in all stores: they are found in any, and kept in the first of the
  // host that has room, and in the shared one. What is found only there is kept on the host, too.
  // The columns must be those of the point. A store in which that fails is left out, and the log
  // says so once. When it fails in all, returns the errors of FolderBudget::OpenPoint();
  // FAILED_PRECONDITION when there is no store.
  absl::StatusOr<std::unique_ptr<PreparedSamples>> OpenPoint(const std::string& digest,
                                                             const PointAbout& about,
                                                             const RowColumns& columns) const;

  // Opens the claims of the processes that share the first store. nullptr without a store.
  std::unique_ptr<Claims> OpenClaims() const;

 private:
  HostStore() = default;

  std::optional<FolderBudget> memory_;
  std::optional<FolderBudget> disk_;
  mutable std::atomic<bool> has_said_ = false;
  std::unique_ptr<SharedStore> shared_;
};

// Overwrites all rows of these keys in folders of prepared rows, in all points. Returns how many
// there were. A folder that does not exist has none, and neither has what is not a file of rows.
absl::StatusOr<int64_t> WipeKeys(std::span<const std::string> folders,
                                 std::span<const int64_t> keys);

}  // namespace tidemill::prepared
