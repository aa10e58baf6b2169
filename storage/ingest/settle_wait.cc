#include "storage/ingest/settle_wait.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"

#include "base/files.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

// A file that changed while it was read is not read again sooner.
constexpr Duration kShortestPause{100'000};

uint64_t HashOf(std::string_view path) { return XXH3_64bits(path.data(), path.size()); }

}  // namespace

void SettleWait::Begin(const DatasetSpec& spec, const FileListing& listing) {
  if (has_begun_) return;
  has_begun_ = true;
  there_.reserve(listing.files.size());
  for (const ListedFile& file : listing.files) {
    there_.push_back(HashOf(files::Join(spec.path, file.path)));
  }
  std::ranges::sort(there_);
}

std::vector<UnsettledFile> SettleWait::Awaited(const FileScan& scan) const {
  std::vector<UnsettledFile> awaited;
  std::ranges::copy_if(scan.unsettled, std::back_inserter(awaited),
                       [&](const UnsettledFile& file) { return WasThere(file.path); });
  return awaited;
}

std::optional<Duration> SettleWait::Pause(const std::vector<UnsettledFile>& awaited, Timestamp now,
                                          Clock::time_point clock) const {
  const Timestamp end = now + Left(clock);
  std::optional<Duration> pause;
  for (const UnsettledFile& file : awaited) {
    if (file.settled_at > end) continue;
    pause = std::max(pause, std::optional(Duration{file.settled_at.micros - now.micros}));
  }
  return pause;
}

std::optional<Duration> SettleWait::Continue(const std::vector<std::string>& changed_while_read,
                                             const std::vector<UnsettledFile>& awaited,
                                             Duration settle, Clock::time_point clock) {
  there_.clear();
  for (const std::string& path : changed_while_read) there_.push_back(HashOf(path));
  for (const UnsettledFile& file : awaited) there_.push_back(HashOf(file.path));
  std::ranges::sort(there_);
  const Duration pause = std::max(settle, kShortestPause);
  if (changed_while_read.empty() || pause > Left(clock)) return std::nullopt;
  return pause;
}

std::string SettleWait::WhyUnsettled(Duration settle) const {
  return fmt::format(
      "it changed less than {} (`settle`) ago, and had not settled within {} (`settle_limit`)",
      FormatDuration(settle), FormatDuration(limit_));
}

bool SettleWait::WasThere(std::string_view path) const {
  return std::ranges::binary_search(there_, HashOf(path));
}

Duration SettleWait::Left(Clock::time_point clock) const {
  return {std::chrono::duration_cast<std::chrono::microseconds>(end_ - clock).count()};
}

}  // namespace tidemill::storage
