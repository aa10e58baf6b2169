#include "preprocess/dispatcher/lane.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

// The batches of a lane, of which 0 to 5 are done, in splits of 4:
//
//   batch     0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15 16 17 ...  end_batch
//             #  #  #  #  #  #  .  .  .  .  .  .  .  .  .  .  .  .
//                               ^                 ^           ^
//                          done_before      issued_before      WindowEnd()
//
//   splits_   [4, 8) leased to one worker, [8, 12) waiting: its worker has died
//
// A lease takes a waiting split first, here [8, 12), else the next fresh one, here [12, 16): on the
// grid of split_batches, and only while it begins before the window's end. Batches that are done
// are cut off from waiting splits, so that nothing is made twice. The window bounds how far workers
// may run ahead of the consumer, and with that the number of splits, however many batches the lane
// has.

namespace tidemill::preprocess {
namespace {

constexpr int kMaxOwn = 4096;

}  // namespace

Lane::Lane(const LaneFacts& facts)
    : facts_(facts),
      counts_{.issued_before = facts.first_batch, .done_before = facts.first_batch} {}

Lane::Lane(const LaneFacts& facts, const LaneCounts& counts, std::vector<IssuedSplit> splits)
    : facts_(facts), counts_(counts) {
  for (IssuedSplit& split : splits) {
    split.told = split.is_leased();
    Insert(std::move(split));
  }
  changed_splits_.clear();
}

void Lane::CountLeases(std::map<int64_t, int32_t>& num_leased) const {
  for (const auto& [from, split] : splits_) {
    if (split.is_leased()) ++num_leased[split.worker.member_id];
  }
}

absl::Status Lane::Check(const v1::LaneProgress& progress) const {
  if (progress.missed_size() > kMaxOwn) {
    return InvalidArgument("the consumer of lane {} missed {} batches; the most is {}",
                           progress.lane(), progress.missed_size(), kMaxOwn);
  }
  if (progress.own_size() > kMaxOwn) {
    return InvalidArgument("the consumer of lane {} makes {} splits itself; the most is {}",
                           progress.lane(), progress.own_size(), kMaxOwn);
  }
  if (progress.done_before() >= 0 && progress.done_before() <= facts_.end_batch) {
    return absl::OkStatus();
  }
  return InvalidArgument("lane {} has batches up to {}, done_before is {}", progress.lane(),
                         facts_.end_batch, progress.done_before());
}

void Lane::Advance(const v1::LaneProgress& progress) {
  window_ = std::max<int64_t>(0, progress.window());
  if (progress.done_before() < counts_.done_before) return;
  own_ = {progress.own().begin(), progress.own().end()};
  if (progress.done_before() == counts_.done_before) return;
  counts_.done_before = progress.done_before();
  counts_.issued_before = std::max(counts_.issued_before, counts_.done_before);
  row_changed_ = true;
  Trim();
}

std::optional<Incarnation> Lane::Miss(int64_t batch) {
  auto it = splits_.upper_bound(batch);
  if (it == splits_.begin()) return std::nullopt;
  const IssuedSplit split = (--it)->second;
  if (!split.is_leased() || batch >= split.to_batch) return std::nullopt;
  Release(split, split.attempt);
  return split.worker;
}

int64_t Lane::TakeOver(const std::string& consumer) {
  if (counts_.consumer == consumer) return 0;
  counts_.consumer = consumer;
  row_changed_ = true;
  ReleaseGaps();
  return Lose([](const Incarnation&) { return true; });
}

int64_t Lane::EndOfSplit(int64_t batch) const {
  const int64_t size = facts_.split_batches;
  return std::min((batch / size + 1) * size, facts_.end_batch);
}

void Lane::ReleaseGaps() {
  std::vector<IssuedSplit> gaps;
  int64_t from = counts_.done_before;
  const auto add_until = [&](int64_t end) {
    while (from < end) {
      const int64_t to = std::min(EndOfSplit(from), end);
      gaps.push_back({.from_batch = from, .to_batch = to});
      from = to;
    }
  };
  for (const auto& [begin, split] : splits_) {
    add_until(begin);
    from = std::max(from, split.to_batch);
  }
  add_until(counts_.issued_before);
  for (IssuedSplit& gap : gaps) Insert(std::move(gap));
}

std::optional<int64_t> Lane::NextWaiting() const {
  if (waiting_.empty() || *waiting_.begin() >= WindowEnd()) return std::nullopt;
  return *waiting_.begin();
}

std::optional<int64_t> Lane::NextFresh() const {
  int64_t batch = counts_.issued_before;
  while (batch < WindowEnd() && own_.contains(batch)) batch = EndOfSplit(batch);
  if (batch >= WindowEnd()) return std::nullopt;
  return batch;
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
    split.to_batch = EndOfSplit(split.from_batch);
    counts_.issued_before = split.to_batch;
  }
  ++split.attempt;
  if (split.attempt > 1) ++counts_.num_reissued;
  row_changed_ = true;
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
  if (split.worker != worker || split.request_id != request_id) return nullptr;
  split.told = true;
  return &split;
}

bool Lane::Revoke(int64_t from_batch, const Incarnation& worker, const std::string& request_id) {
  const auto it = splits_.find(from_batch);
  if (it == splits_.end()) return false;
  const IssuedSplit& split = it->second;
  if (split.told || split.worker != worker || split.request_id != request_id) return false;
  if (split.attempt > 1) --counts_.num_reissued;
  row_changed_ = true;
  Release(split, split.attempt - 1);
  return true;
}

int64_t Lane::Lose(const std::function<bool(const Incarnation&)>& is_gone) {
  std::vector<IssuedSplit> gone;
  for (const auto& [from, split] : splits_) {
    if (split.is_leased() && is_gone(split.worker)) gone.push_back(split);
  }
  for (const IssuedSplit& split : gone) Release(split, split.attempt);
  return std::ssize(gone);
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

int64_t Lane::WindowEnd() const {
  return counts_.done_before + std::min(window_, facts_.end_batch - counts_.done_before);
}

void Lane::Insert(IssuedSplit split) {
  const int64_t from = split.from_batch;
  if (!split.is_leased()) waiting_.insert(from);
  changed_splits_.insert(from);
  splits_.insert_or_assign(from, std::move(split));
}

void Lane::Erase(int64_t from_batch) {
  waiting_.erase(from_batch);
  changed_splits_.insert(from_batch);
  splits_.erase(from_batch);
}

void Lane::Release(const IssuedSplit& split, int32_t attempt) {
  const int64_t from = std::max(split.from_batch, counts_.done_before);
  const int64_t to = split.to_batch;
  Erase(split.from_batch);  // `split` may be the one that ends here.
  if (from >= to) return;
  Insert({.from_batch = from, .to_batch = to, .attempt = attempt});
}

void Lane::Trim() {
  std::vector<IssuedSplit> touched;
  for (auto it = splits_.begin(); it != splits_.end() && it->first < counts_.done_before; ++it) {
    touched.push_back(it->second);
  }
  for (const IssuedSplit& split : touched) {
    if (!split.is_leased()) {
      Release(split, split.attempt);
    } else if (split.to_batch <= counts_.done_before) {
      Erase(split.from_batch);
    }
  }
}

}  // namespace tidemill::preprocess
