#include "prepared/host_store.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "base/files.h"
#include "base/logs/log.h"
#include "prepared/folder_samples.h"
#include "prepared/row_file.h"
#include "prepared/tiered_samples.h"

namespace tidemill::prepared {
namespace {

// A file that is gone has no rows, and what is not a file has none.
absl::StatusOr<int64_t> WipeIn(const std::string& path,
                               const absl::flat_hash_set<int64_t>& wanted) {
  auto file = RowFile::OpenToRead(path);
  if (absl::IsNotFound(file.status()) || absl::IsFailedPrecondition(file.status())) return 0;
  RETURN_IF_ERROR(file.status());
  std::vector<RowPlace> found;
  const bool are_all = file->Scan([&](const RowPlace& place) {
    if (wanted.contains(place.entry.key)) found.push_back(place);
  });
  for (const RowPlace& place : found) RETURN_IF_ERROR(file->Wipe(place));
  // Rows after a damage cannot be told apart.
  if (!are_all) RETURN_IF_ERROR(files::Remove(path));
  return std::ssize(found);
}

void SayLeftOut(const std::string& folder, const absl::Status& why) {
  log::Warn("a store of prepared samples is left out; they are prepared again each time",
            {{"folder", folder}, {"because", std::string(why.message())}});
}

std::optional<FolderBudget> OpenFolder(const std::string& folder, int64_t bytes,
                                       Duration keep_unused, FolderPlace place) {
  if (folder.empty() || bytes == 0) return std::nullopt;
  FolderBudget budget(folder, bytes, keep_unused, place);
  const absl::Status usable = budget.Check();
  if (usable.ok()) return budget;
  SayLeftOut(folder, usable);
  return std::nullopt;
}

}  // namespace

std::unique_ptr<HostStore> HostStore::Open(const HostStoreOptions& options,
                                           std::unique_ptr<SharedStore> shared) {
  std::unique_ptr<HostStore> store(new HostStore());
  store->memory_ = OpenFolder(options.memory_folder, options.memory_bytes, options.keep_unused,
                              FolderPlace::kPublic);
  store->disk_ =
      OpenFolder(options.disk_folder, options.disk_bytes, options.keep_unused, FolderPlace::kOwn);
  store->shared_ = std::move(shared);
  return store;
}

absl::StatusOr<std::unique_ptr<PreparedSamples>> HostStore::OpenPoint(
    const std::string& digest, const PointAbout& about, const RowColumns& columns) const {
  TieredSamples::Tiers tiers;
  absl::Status failure = FailedPrecondition("there is no room for prepared samples");
  for (const auto* budget : {&memory_, &disk_}) {
    if (!budget->has_value()) continue;
    auto tier = FolderSamples::Open(**budget, digest, about, columns);
    if (tier.ok()) {
      tiers.of_host.push_back(*std::move(tier));
      continue;
    }
    failure = tier.status();
    if (!has_said_.exchange(true)) SayLeftOut((*budget)->folder(), failure);
  }
  if (shared_ != nullptr) {
    tiers.shared = shared_->OpenPoint(digest, about, columns);
    tiers.shares_found = shared_->takes_all();
  }
  if (tiers.of_host.empty() && tiers.shared == nullptr) return failure;
  return std::make_unique<TieredSamples>(std::move(tiers));
}

std::unique_ptr<Claims> HostStore::OpenClaims() const {
  if (memory_) return Claims::Open(memory_->folder());
  return disk_ ? Claims::Open(disk_->folder()) : nullptr;
}

absl::StatusOr<int64_t> WipeKeys(std::span<const std::string> folders,
                                 std::span<const int64_t> keys) {
  const absl::flat_hash_set<int64_t> wanted(keys.begin(), keys.end());
  int64_t num_wiped = 0;
  for (const std::string& folder : folders) {
    ASSIGN_OR_RETURN(const std::vector<std::string> paths, RowFilesIn(folder));
    for (const std::string& path : paths) {
      ASSIGN_OR_RETURN(const int64_t in_file, WipeIn(path, wanted));
      num_wiped += in_file;
    }
  }
  return num_wiped;
}

}  // namespace tidemill::prepared
