#include "preprocess/dispatcher/lane.h"

#include <algorithm>

#include "base/check.h"

// The batches of a lane, of which 0 to 5 and 8 are done, in splits of 4:
//
//   batch     0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15 16 17 ...  end_batch
//             #  #  #  #  #  #  .  .  #  .  .  .  .  .  .  .  .  .
//                               ^                 ^           ^
//                          done_before      issued_before      WindowEnd()
//
//   splits_   [6, 8) leased to one worker, [9, 12) waiting: its worker has died
//   done_     {8}: done, but not all before it is
//
// A lease takes a waiting split first, here [9, 12), else the next fresh one, here [12, 16): on the
// grid of split_batches, and only while it begins before the window's end. What is done is cut out
// of splits, so that nothing is made twice. The window bounds how far workers may run ahead of the
// consumer, and with that the number of splits, however many batches the lane has.

namespace tidemill::preprocess {

Lane::Lane(const LaneFacts& facts)
    : facts_(facts),
      counts_{.issued_before = facts.first_batch, .done_before = facts.first_batch} {}

Lane::Lane(const LaneFacts& facts, const LaneCounts& counts, std::vector<IssuedSplit> splits)
    : facts_(facts), counts_(counts) {
  for (IssuedSplit& split : splits) {
    split.told = split.state == SplitState::kLeased;
    Insert(std::move(split));
  }
  changed_splits_.clear();
}

int64_t Lane::num_done() const {
  return counts_.done_before - facts_.first_batch + std::ssize(done_);
}

void Lane::CountLeases(std::map<int64_t, int32_t>& num_leased) const {
  for (const auto& [from, split] : splits_) {
    if (split.state == SplitState::kLeased) ++num_leased[split.worker.worker_id];
  }
}

absl::Status Lane::Check(const v1::LaneProgress& progress) const {
  const auto is_beyond = [&](int64_t batch) { return batch < 0 || batch > facts_.end_batch; };
  if (is_beyond(progress.done_before())) {
    return InvalidArgument("lane {} has batches up to {}, done_before is {}", progress.lane(),
                           facts_.end_batch, progress.done_before());
  }
  for (const int64_t batch : progress.done()) {
    if (!is_beyond(batch) && batch < facts_.end_batch) continue;
    return InvalidArgument("lane {} has batches up to {}, not {}", progress.lane(),
                           facts_.end_batch, batch);
  }
  return absl::OkStatus();
}

void Lane::Advance(const v1::LaneProgress& progress) {
  window_ = std::max<int64_t>(0, progress.window());
  const int64_t known_before = counts_.done_before;
  const size_t num_known = done_.size();
  int64_t& done_before = counts_.done_before;
  done_before = std::max(done_before, progress.done_before());
  done_.erase(done_.begin(), done_.lower_bound(done_before));
  for (const int64_t batch : progress.done()) {
    if (batch >= done_before) done_.insert(batch);
  }
  while (!done_.empty() && *done_.begin() == done_before) {
    done_.erase(done_.begin());
    ++done_before;
  }
  if (done_before == known_before && done_.size() == num_known) return;
  if (done_before != known_before) row_changed_ = true;
  counts_.issued_before = std::max(counts_.issued_before, done_before);
  Trim();
}

int64_t Lane::TakeOver(const std::string& consumer) {
  if (counts_.consumer == consumer) return 0;
  counts_.consumer = consumer;
  row_changed_ = true;
  return Lose([](const Incarnation&) { return true; });
}

std::optional<int64_t> Lane::NextWaiting() const {
  if (waiting_.empty() || *waiting_.begin() >= WindowEnd()) return std::nullopt;
  return *waiting_.begin();
}

std::optional<int64_t> Lane::NextFresh() const {
  const int64_t from = FirstNotDone(counts_.issued_before);
  if (from >= std::min(WindowEnd(), facts_.end_batch)) return std::nullopt;
  return from;
}

const IssuedSplit& Lane::Issue(const Incarnation& worker, const std::string& request_id) {
  IssuedSplit split;
  if (const auto waiting = NextWaiting(); waiting) {
    split = splits_.at(*waiting);
    Erase(split.from_batch);
  } else {
    const std::optional<int64_t> fresh = NextFresh();
    TIDEMILL_CHECK(fresh.has_value());
    split.from_batch = *fresh;
    // On a grid that does not depend on the first batch: what belongs together stays together.
    const int64_t size = facts_.split_batches;
    const int64_t end = std::min((split.from_batch / size + 1) * size, facts_.end_batch);
    split.to_batch = NotDone(split.from_batch, end).front().second;
    counts_.issued_before = split.to_batch;
  }
  ++split.attempt;
  if (split.attempt > 1) ++counts_.num_reissued;
  row_changed_ = true;
  split.state = SplitState::kLeased;
  split.worker = worker;
  split.request_id = request_id;
  split.told = false;
  const int64_t from = split.from_batch;
  Insert(std::move(split));
  return splits_.at(from);
}

const IssuedSplit* Lane::Confirm(int64_t from_batch, const Incarnation& worker,
                                 const std::string& request_id) {
  const auto it = splits_.find(from_batch);
  if (it == splits_.end()) return nullptr;
  IssuedSplit& split = it->second;
  if (split.state != SplitState::kLeased || split.worker != worker ||
      split.request_id != request_id) {
    return nullptr;
  }
  split.told = true;
  return &split;
}

bool Lane::TakeBack(int64_t from_batch, const Incarnation& worker, const std::string& request_id) {
  const auto it = splits_.find(from_batch);
  if (it == splits_.end()) return false;
  const IssuedSplit& split = it->second;
  if (split.state != SplitState::kLeased || split.told || split.worker != worker ||
      split.request_id != request_id) {
    return false;
  }
  if (split.attempt > 1) --counts_.num_reissued;
  row_changed_ = true;
  Replace(split, split.attempt - 1, SplitState::kWaiting);
  return true;
}

int64_t Lane::Lose(const std::function<bool(const Incarnation&)>& is_gone) {
  std::vector<IssuedSplit> gone;
  for (const auto& [from, split] : splits_) {
    if (split.state == SplitState::kLeased && is_gone(split.worker)) gone.push_back(split);
  }
  for (const IssuedSplit& split : gone) {
    // What a worker may have begun, it may have delivered: AT_MOST_ONCE never issues it again. What
    // no worker was told of, none has delivered.
    const bool lost = facts_.guarantee == v1::GUARANTEE_AT_MOST_ONCE && split.told;
    if (lost) {
      counts_.num_lost += NumNotDone(split);
      row_changed_ = true;
    }
    Replace(split, split.attempt, lost ? SplitState::kLost : SplitState::kWaiting);
  }
  return std::ssize(gone);
}

std::vector<std::pair<int64_t, int64_t>> Lane::Lost() const {
  std::vector<std::pair<int64_t, int64_t>> lost;
  if (num_lost_splits_ == 0) return lost;
  for (const auto& [from, split] : splits_) {
    if (split.state == SplitState::kLost) lost.emplace_back(from, split.to_batch);
  }
  return lost;
}

void Lane::BindShard(int64_t worker_id) {
  if (counts_.shard_worker_id == worker_id) return;
  counts_.shard_worker_id = worker_id;
  row_changed_ = true;
}

LaneChanges Lane::TakeChanges() {
  LaneChanges changes{.counts = counts_, .kept = {}, .gone = {}};
  for (const int64_t from : changed_splits_) {
    const auto it = splits_.find(from);
    if (it == splits_.end()) {
      changes.gone.push_back(from);
    } else {
      changes.kept.push_back(it->second);
    }
  }
  row_changed_ = false;
  changed_splits_.clear();
  return changes;
}

void Lane::ReturnChanges(const LaneChanges& changes) {
  row_changed_ = true;
  for (const IssuedSplit& split : changes.kept) changed_splits_.insert(split.from_batch);
  changed_splits_.insert(changes.gone.begin(), changes.gone.end());
}

int64_t Lane::FirstNotDone(int64_t batch) const {
  batch = std::max(batch, counts_.done_before);
  for (auto it = done_.lower_bound(batch); it != done_.end() && *it == batch; ++it) ++batch;
  return batch;
}

std::vector<std::pair<int64_t, int64_t>> Lane::NotDone(int64_t from_batch, int64_t to_batch) const {
  std::vector<std::pair<int64_t, int64_t>> runs;
  for (int64_t from = FirstNotDone(from_batch); from < to_batch;) {
    const auto next_done = done_.lower_bound(from);
    const int64_t to = next_done == done_.end() ? to_batch : std::min(*next_done, to_batch);
    runs.emplace_back(from, to);
    from = FirstNotDone(to);
  }
  return runs;
}

int64_t Lane::NumNotDone(const IssuedSplit& split) const {
  int64_t count = 0;
  for (const auto& [from, to] : NotDone(split.from_batch, split.to_batch)) count += to - from;
  return count;
}

int64_t Lane::WindowEnd() const {
  return counts_.done_before + std::min(window_, facts_.end_batch - counts_.done_before);
}

void Lane::Insert(IssuedSplit split) {
  const int64_t from = split.from_batch;
  if (split.state == SplitState::kWaiting) waiting_.insert(from);
  if (split.state == SplitState::kLost) ++num_lost_splits_;
  changed_splits_.insert(from);
  splits_.insert_or_assign(from, std::move(split));
}

void Lane::Erase(int64_t from_batch) {
  const auto it = splits_.find(from_batch);
  waiting_.erase(from_batch);
  if (it->second.state == SplitState::kLost) --num_lost_splits_;
  changed_splits_.insert(from_batch);
  splits_.erase(it);
}

void Lane::Replace(const IssuedSplit& split, int32_t attempt, SplitState state) {
  const std::vector<std::pair<int64_t, int64_t>> runs = NotDone(split.from_batch, split.to_batch);
  Erase(split.from_batch);  // `split` may be the one that ends here.
  for (const auto& [from, to] : runs) {
    Insert({.from_batch = from, .to_batch = to, .attempt = attempt, .state = state});
  }
}

void Lane::Trim() {
  const int64_t end = done_.empty() ? counts_.done_before : *done_.rbegin() + 1;
  std::vector<IssuedSplit> touched;
  for (auto it = splits_.begin(); it != splits_.end() && it->first < end; ++it) {
    touched.push_back(it->second);
  }
  for (const IssuedSplit& split : touched) {
    if (split.state != SplitState::kLeased) {
      const auto runs = NotDone(split.from_batch, split.to_batch);
      if (runs.size() == 1 && runs[0] == std::pair(split.from_batch, split.to_batch)) continue;
      Replace(split, split.attempt, split.state);
    } else if (FirstNotDone(split.from_batch) >= split.to_batch) {
      Erase(split.from_batch);
    }
  }
}

}  // namespace tidemill::preprocess
