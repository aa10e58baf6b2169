#include "prepared/host_store.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "prepared/folder_samples.h"
#include "prepared/row_file.h"
#include "prepared/tiered_samples.h"

namespace tidemill::prepared {
namespace {

namespace fs = std::filesystem;

// A file that is gone has no rows.
absl::StatusOr<int64_t> WipeIn(const std::string& path,
                               const absl::flat_hash_set<int64_t>& wanted) {
  auto file = RowFile::OpenToRead(path);
  if (absl::IsNotFound(file.status())) return 0;
  RETURN_IF_ERROR(file.status());
  std::vector<RowPlace> found;
  file->Scan([&](const RowPlace& place) {
    if (wanted.contains(place.entry.key)) found.push_back(place);
  });
  for (const RowPlace& place : found) RETURN_IF_ERROR(file->Wipe(place));
  return std::ssize(found);
}

std::optional<FolderBudget> OpenFolder(const std::string& folder, int64_t bytes,
                                       Duration keep_unused) {
  if (folder.empty() || bytes == 0) return std::nullopt;
  return FolderBudget(folder, bytes, keep_unused);
}

}  // namespace

std::unique_ptr<HostStore> HostStore::Open(const HostStoreOptions& options,
                                           std::unique_ptr<SharedStore> shared) {
  std::unique_ptr<HostStore> store(new HostStore());
  store->memory_ = OpenFolder(options.memory_folder, options.memory_bytes, options.keep_unused);
  store->disk_ = OpenFolder(options.disk_folder, options.disk_bytes, options.keep_unused);
  store->shared_ = std::move(shared);
  return store;
}

absl::StatusOr<std::unique_ptr<PreparedSamples>> HostStore::OpenPoint(
    const std::string& digest, const PointAbout& about, const RowColumns& columns) const {
  TieredSamples::Tiers tiers;
  for (const auto* budget : {&memory_, &disk_}) {
    if (!budget->has_value()) continue;
    ASSIGN_OR_RETURN(auto tier, FolderSamples::Open(**budget, digest, about, columns));
    tiers.of_host.push_back(std::move(tier));
  }
  if (shared_ != nullptr) {
    tiers.shared = shared_->OpenPoint(digest, about, columns);
    tiers.shares_found = shared_->takes_all();
  }
  return std::make_unique<TieredSamples>(std::move(tiers));
}

absl::StatusOr<int64_t> WipeKeys(std::span<const std::string> folders,
                                 std::span<const int64_t> keys) {
  const absl::flat_hash_set<int64_t> wanted(keys.begin(), keys.end());
  int64_t num_wiped = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
      if (entry.path().extension() != ".rows") continue;
      ASSIGN_OR_RETURN(const int64_t in_file, WipeIn(entry.path().string(), wanted));
      num_wiped += in_file;
    }
  }
  return num_wiped;
}

}  // namespace tidemill::prepared
