#include "storage/ingest/watcher.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/logs/log.h"
#include "storage/filesystems/object_path.h"

namespace tidemill::storage {

namespace {

constexpr std::chrono::milliseconds kListenInterval{200};
// How often registered datasets are looked up while nothing happens.
constexpr std::chrono::milliseconds kListingInterval{1000};
constexpr uint32_t kEvents =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_MODIFY | IN_ONLYDIR;

}  // namespace

Watcher::Notifier::Notifier() : inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

std::set<DatasetId> Watcher::Notifier::Changed() {
  std::set<DatasetId> changed;
  std::array<char, 16384> events{};
  while (inotify_.is_open()) {
    const ssize_t size = read(inotify_.number(), events.data(), events.size());
    if (size <= 0) break;
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof(event));
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      if (const auto found = listeners_.find(event.wd); found != listeners_.end()) {
        changed.insert(found->second.begin(), found->second.end());
      }
    }
  }
  return changed;
}

void Watcher::Notifier::Listen(DatasetId id, const std::string& root) {
  if (!inotify_.is_open()) return;
  const auto add = [&](const std::string& folder) {
    const int watch = inotify_add_watch(inotify_.number(), folder.c_str(), kEvents);
    if (watch >= 0) listeners_[watch].insert(id);
  };
  add(root);
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(root, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_directory(error) && !entry->is_symlink(error)) add(entry->path().string());
  }
}

Watcher::Watcher(DatasetCatalog& catalog, Ingestor& ingestor, WatcherOptions options)
    : catalog_(catalog),
      ingestor_(ingestor),
      options_(options),
      next_listing_(Clock::now()),
      task_("watch", std::min(kListenInterval, options.scan_interval), [this] { return Step(); }) {}

absl::Status Watcher::Step() {
  const std::set<DatasetId> changed = notifier_.Changed();
  const Clock::time_point now = Clock::now();
  if (changed.empty() && now < next_listing_) return absl::OkStatus();
  next_listing_ = now + std::min(kListingInterval, options_.scan_interval);
  ASSIGN_OR_RETURN(const std::vector<DatasetEntry> datasets, catalog_.List(std::nullopt));
  for (const DatasetEntry& dataset : datasets) {
    if (dataset.superseded) continue;
    const auto [next_scan, is_new] = next_scan_.try_emplace(dataset.id, now);
    if (!changed.contains(dataset.id) && next_scan->second > now) continue;
    const bool in_store = IsObjectPath(dataset.spec.path);
    next_scan->second = now + (in_store ? options_.store_scan_interval : options_.scan_interval);
    if (!in_store) notifier_.Listen(dataset.id, dataset.spec.path);
    const absl::Status status = ingestor_.Sync(dataset.id, /*wait=*/false, {}).status();
    if (!status.ok() && !absl::IsNotFound(status)) {
      log::Warn("cannot sync", {{"dataset", dataset.name}, {"error", status.ToString()}});
    }
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage
