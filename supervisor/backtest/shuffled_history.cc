#include "supervisor/backtest/shuffled_history.h"

#include <algorithm>
#include <utility>

namespace tidemill::supervisor {

int64_t ShuffledHistory::NumBefore(const Cut& cut) const {
  const auto& times = history_->times;
  const auto [first, last] = std::equal_range(times.begin(), times.end(), cut.event_time.micros);
  const auto keys = history_->keys.begin();
  return std::lower_bound(keys + (first - times.begin()), keys + (last - times.begin()),
                          cut.sample_key.value) -
         keys;
}

std::vector<int64_t> ShuffledHistory::KeysAt(int64_t from, int64_t to) const {
  std::vector<int64_t> keys(static_cast<size_t>(std::max<int64_t>(0, to - from)));
  permutation_.Range(from, keys);
  for (int64_t& key : keys) key = history_->keys[static_cast<size_t>(key)];
  return keys;
}

absl::StatusOr<std::vector<int64_t>> ShuffledHistory::KeysOf(const EvidenceRequest& request) {
  if (!request.where.empty()) {
    return FailedPrecondition(
        "a shuffled history does not know which samples `where` is true for; leave `where` out of "
        "the trigger to learn its false alarms");
  }
  int64_t from = request.from ? NumBefore(*request.from) : 0;
  const int64_t to = NumBefore(request.to);
  if (request.newest > 0) from = std::max(from, to - request.newest);
  KeyChoice choice({.most_rows = request.most_rows});
  choice.Take(KeysAt(from, to));
  return std::move(choice).Finish();
}

absl::StatusOr<std::vector<int64_t>> ShuffledHistory::KeysFrom(const Cut& from, int64_t most) {
  const int64_t first = NumBefore(from);
  return KeysAt(first, std::min(history_->size(), first + most));
}

}  // namespace tidemill::supervisor
