#include "loader/bad_samples.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"
#include "storage/client/storage_client.h"

namespace tidemill::loader {
namespace {

constexpr std::chrono::milliseconds kInterval{500};
// Passed on together.
constexpr size_t kTogether = 1'000;
// The limit per process. Beyond it, only the fact that there are too many is known.
constexpr size_t kMax = 100'000;
constexpr size_t kMaxReasonBytes = 500;

}  // namespace

BadSamples::BadSamples(Record record)
    : record_(std::move(record)),
      task_(std::make_unique<PeriodicTask>("bad-samples", kInterval, [this] { return Flush(); })) {}

BadSamples::~BadSamples() {
  task_.reset();
  const absl::Status flushed = Flush();
  if (!flushed.ok()) {
    log::Warn("cannot record bad samples", {{"error", std::string(flushed.message())}});
  }
}

void BadSamples::Add(std::span<const Unreadable> samples) {
  MutexLock lock(mutex_);
  for (const Unreadable& sample : samples) {
    if (sample.deleted) {
      if (deleted_.size() < kMax) deleted_.insert(sample.key);
      continue;
    }
    if (known_.size() >= kMax || !known_.insert(sample.key).second) continue;
    waiting_.push_back({sample.key, sample.reason.substr(0, kMaxReasonBytes)});
  }
}

int64_t BadSamples::num_deleted() const {
  MutexLock lock(mutex_);
  return std::ssize(deleted_);
}

absl::Status BadSamples::Flush() {
  std::vector<Unreadable> taken;
  {
    MutexLock lock(mutex_);
    taken.swap(waiting_);
  }
  for (size_t from = 0; from < taken.size(); from += kTogether) {
    std::vector<int64_t> keys;
    std::vector<std::string> reasons;
    for (size_t i = from; i < std::min(from + kTogether, taken.size()); ++i) {
      keys.push_back(taken[i].key);
      reasons.push_back(taken[i].reason);
    }
    const absl::Status recorded = record_(keys, reasons);
    if (recorded.ok()) continue;
    MutexLock lock(mutex_);
    waiting_.insert(waiting_.end(), taken.begin() + static_cast<ptrdiff_t>(from), taken.end());
    return recorded;
  }
  return absl::OkStatus();
}

std::shared_ptr<BadSamples> RecordBadSamples(const storage::StorageClient& storage,
                                             DatasetId dataset) {
  return std::make_shared<BadSamples>(
      [&storage, dataset](std::span<const int64_t> keys, std::span<const std::string> reasons) {
        return storage.QuarantineSamples(dataset, keys, reasons);
      });
}

}  // namespace tidemill::loader
