#include "storage/prepared_objects/forgotten_keys.h"

#include <atomic>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

#include "base/threads/worker_pool.h"
#include "prepared/medium_speed.h"

namespace tidemill::storage {
namespace {

constexpr std::string_view kFolder = "forgotten/";
constexpr int64_t kKeptSeconds = 24 * 3600;
// A block is written again when more keys were forgotten while it was written.
constexpr int kMostRounds = 20;
// Blocks whose entries are read at a time.
constexpr int kWipers = 8;

}  // namespace

absl::Status ForgottenKeys::Add(std::span<const int64_t> keys) {
  std::random_device random;
  const std::string name = fmt::format("{}{:08x}{:08x}", kFolder, random(), random());
  const std::string_view bytes(reinterpret_cast<const char*>(keys.data()), keys.size_bytes());
  RETURN_IF_ERROR(objects_.Put(name, bytes));
  MutexLock lock(mutex_);
  read_.insert(name);
  keys_.insert(keys.begin(), keys.end());
  return absl::OkStatus();
}

absl::Status ForgottenKeys::Refresh() {
  ASSIGN_OR_RETURN(const auto listed, objects_.List(std::string(kFolder)));
  const int64_t oldest = std::time(nullptr) - kKeptSeconds;
  for (const StoredObject& object : listed) {
    if (object.modified_seconds < oldest) {
      objects_.Delete(object.name).IgnoreError();
      continue;
    }
    {
      MutexLock lock(mutex_);
      if (read_.contains(object.name)) continue;
    }
    const auto bytes = objects_.Read(object.name, 0, object.bytes);
    if (absl::IsNotFound(bytes.status())) continue;
    RETURN_IF_ERROR(bytes.status());
    std::vector<int64_t> keys(bytes->size() / sizeof(int64_t));
    if (!keys.empty()) std::memcpy(keys.data(), bytes->data(), keys.size() * sizeof(int64_t));
    MutexLock lock(mutex_);
    read_.insert(object.name);
    keys_.insert(keys.begin(), keys.end());
  }
  return absl::OkStatus();
}

bool ForgottenKeys::HasAny(std::span<const prepared::RowEntry> entries) const {
  MutexLock lock(mutex_);
  if (keys_.empty()) return false;
  for (const prepared::RowEntry& entry : entries) {
    if (entry.state != prepared::RowState::kMissing && keys_.contains(entry.key)) return true;
  }
  return false;
}

ForgottenKeys::Wiped ForgottenKeys::WipeIn(std::string& block,
                                           std::span<const prepared::RowEntry> entries) const {
  Wiped wiped;
  size_t entry_at = prepared::kHeaderBytes;
  size_t row_at = entry_at + entries.size() * sizeof(prepared::RowEntry);
  MutexLock lock(mutex_);
  for (const prepared::RowEntry& entry : entries) {
    if (entry.state != prepared::RowState::kMissing && keys_.contains(entry.key)) {
      const prepared::RowEntry zero = prepared::WipedEntry(entry);
      std::memcpy(block.data() + entry_at, &zero, sizeof(zero));
      std::memset(block.data() + row_at, 0, entry.row_bytes);
      ++wiped.now;
    } else if (entry.state != prepared::RowState::kMissing) {
      ++wiped.left;
    }
    entry_at += sizeof(prepared::RowEntry);
    row_at += entry.row_bytes;
  }
  return wiped;
}

absl::StatusOr<int64_t> ForgottenKeys::Clean(const std::string& name, int64_t block_bytes) {
  int64_t num_wiped = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    auto block = objects_.Read(name, 0, block_bytes);
    if (absl::IsNotFound(block.status())) return num_wiped;
    const auto entries = block.ok() ? prepared::EntriesOf(*block, block_bytes) : block.status();
    if (absl::IsDataLoss(entries.status())) {
      RETURN_IF_ERROR(objects_.Delete(name));
      return num_wiped;
    }
    RETURN_IF_ERROR(entries.status());
    const Wiped wiped = WipeIn(*block, *entries);
    if (wiped.now == 0) return num_wiped;
    num_wiped += wiped.now;
    if (wiped.left == 0) {
      RETURN_IF_ERROR(objects_.Delete(name));
      return num_wiped;
    }
    RETURN_IF_ERROR(objects_.Put(name, *block));
    // Another one may have cleaned it at the same time, of other keys.
    RETURN_IF_ERROR(Refresh());
  }
  return Unavailable("{} of {} is written by others all the time", name, objects_.url());
}

absl::StatusOr<int64_t> WipeKeysIn(RowObjects& objects, ForgottenKeys& forgotten,
                                   std::span<const int64_t> keys) {
  objects.Insist();
  RETURN_IF_ERROR(forgotten.Add(keys));
  RETURN_IF_ERROR(forgotten.Refresh());
  ASSIGN_OR_RETURN(const auto listed, objects.List(""));
  std::atomic<int64_t> num_wiped = 0;
  Mutex mutex;
  absl::Status status;
  const auto clean = [&](const StoredObject& object) -> absl::Status {
    const auto num_rows = RowsOfBlock(object.name);
    if (!num_rows) return absl::OkStatus();
    const int64_t head =
        std::min(object.bytes, prepared::kHeaderBytes + *num_rows * prepared::kEntryBytes);
    const auto bytes = objects.Read(object.name, 0, head);
    if (absl::IsNotFound(bytes.status())) return absl::OkStatus();
    const auto entries = bytes.ok() ? prepared::EntriesOf(*bytes, object.bytes) : bytes.status();
    if (!entries.ok() && !absl::IsDataLoss(entries.status())) return entries.status();
    if (entries.ok() && !forgotten.HasAny(*entries)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const int64_t in_block, forgotten.Clean(object.name, object.bytes));
    num_wiped += in_block;
    return absl::OkStatus();
  };
  WorkerPool pool("prepared.wipe", std::min(kWipers, objects.connections()));
  pool.ParallelFor(std::ssize(listed), [&](int64_t i) {
    const absl::Status cleaned = clean(listed[static_cast<size_t>(i)]);
    MutexLock lock(mutex);
    status.Update(cleaned);
  });
  RETURN_IF_ERROR(Annotate(status, fmt::format("deleting prepared rows in {}", objects.url())));
  return num_wiped.load();
}

}  // namespace tidemill::storage
