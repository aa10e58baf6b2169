#include "supervisor/shuffled_history.h"

#include <algorithm>
#include <utility>

namespace tidemill::supervisor {
namespace {

constexpr RandomKey kDraws{.purpose = "evidence"};

// Leaves out all but `most`, whoever the others are.
void Draw(int64_t most, std::vector<int64_t>& keys) {
  std::vector<uint64_t> ranks;
  ranks.reserve(keys.size());
  for (const int64_t key : keys) ranks.push_back(RandomBits(kDraws, key));
  std::vector<uint64_t> drawn = ranks;
  const auto last = drawn.begin() + (most - 1);
  std::nth_element(drawn.begin(), last, drawn.end());
  size_t kept = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (ranks[i] <= *last) keys[kept++] = keys[i];
  }
  keys.resize(kept);
}

}  // namespace

int64_t ShuffledHistory::NumBefore(const Cut& cut) const {
  const auto& times = history_->times;
  const auto [first, last] = std::equal_range(times.begin(), times.end(), cut.event_time.micros);
  const auto keys = history_->keys.begin();
  return std::lower_bound(keys + (first - times.begin()), keys + (last - times.begin()),
                          cut.sample_key.value) -
         keys;
}

absl::StatusOr<std::vector<int64_t>> ShuffledHistory::KeysOf(const EvidenceRequest& request) const {
  int64_t from = request.from ? NumBefore(*request.from) : 0;
  const int64_t to = NumBefore(request.to);
  if (request.newest > 0) from = std::max(from, to - request.newest);
  std::vector<int64_t> keys(static_cast<size_t>(std::max<int64_t>(0, to - from)));
  permutation_.Range(from, keys);
  for (int64_t& key : keys) key = history_->keys[static_cast<size_t>(key)];
  if (request.most_rows > 0 && static_cast<int64_t>(keys.size()) > request.most_rows) {
    Draw(request.most_rows, keys);
  }
  return keys;
}

}  // namespace tidemill::supervisor
