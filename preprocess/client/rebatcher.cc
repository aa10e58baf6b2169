#include "preprocess/client/rebatcher.h"

#include <algorithm>
#include <utility>

#include "batch/slice.h"

namespace tidemill::preprocess {

Rebatcher::Rebatcher(Plan plan)
    : plan_(std::move(plan)),
      done_before_(std::min(plan_.first, plan_.end)),
      come_before_(done_before_) {
  for (int64_t number = done_before_; number < plan_.end;) {
    const int64_t next = std::min(plan_.end, (EpochOf(number) + 1) * plan_.batches_of_epoch);
    missing_[EpochOf(number)] = next - number;
    number = next;
  }
  for (const int64_t number : plan_.done) {
    if (IsDone(number) || number >= plan_.end) continue;
    --missing_[EpochOf(number)];
    MarkDone(number);
  }
}

bool Rebatcher::IsDone(int64_t number) const {
  return number < done_before_ || done_beyond_.contains(number);
}

bool Rebatcher::HasCome(int64_t number) const {
  if (number < come_before_ || IsDone(number)) return true;
  const auto begun = begun_.find(number);
  return begun != begun_.end() && begun->second.has_come;
}

bool Rebatcher::IsWhole(int64_t epoch) const {
  const auto missing = missing_.find(epoch);
  return missing == missing_.end() || missing->second == 0;
}

void Rebatcher::MarkDone(int64_t number) {
  begun_.erase(number);
  done_beyond_.insert(number);
  while (!done_beyond_.empty() && *done_beyond_.begin() == done_before_) {
    done_beyond_.erase(done_beyond_.begin());
    ++done_before_;
  }
  while (come_before_ < plan_.end && (IsDone(come_before_) || HasCome(come_before_))) {
    ++come_before_;
  }
}

batch::Batch Rebatcher::NewRows(const batch::Batch& rows, Begun& begun) const {
  if (rows.num_rows() == 0) return {};
  const auto ordinals = rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  std::vector<int64_t> fresh;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    if (begun.had.insert(ordinals[static_cast<size_t>(row)]).second) fresh.push_back(row);
  }
  return std::ssize(fresh) == rows.num_rows() ? rows : rows.Take(fresh);
}

void Rebatcher::SetCome(int64_t number, Begun& begun) {
  begun.has_come = true;
  begun.had.clear();
  const auto missing = missing_.find(EpochOf(number));
  if (--missing->second == 0) missing_.erase(missing);
  while (come_before_ < plan_.end && HasCome(come_before_)) ++come_before_;
  if (begun.rows_waiting == 0) MarkDone(number);
}

bool Rebatcher::Add(BatchMessage message, const std::optional<Origin>& origin) {
  const int64_t number = message.number;
  if (number < 0 || number >= plan_.end || HasCome(number)) {
    ++num_dropped_;
    return false;
  }
  Begun& begun = begun_[number];
  batch::Batch fresh = NewRows(message.rows, begun);
  const int64_t num_fresh = fresh.num_rows();
  begun.rows_waiting += num_fresh;
  begun.num_skipped = std::max(begun.num_skipped, message.num_skipped);
  begun.num_filtered = std::max(begun.num_filtered, message.num_filtered);
  const int64_t num_holes = begun.num_skipped + begun.num_filtered;
  const bool is_last = std::ssize(begun.had) + num_holes >= plan_.samples_of(number);
  if (num_fresh == 0 && !is_last) {
    ++num_dropped_;
    return false;
  }
  if (num_fresh > 0 || num_holes > 0) {
    Epoch& epoch = epochs_[EpochOf(number)];
    epoch.num_rows += num_fresh;
    if (is_last) {
      epoch.num_skipped += begun.num_skipped;
      epoch.num_filtered += begun.num_filtered;
    }
    if (!message.reason.empty()) epoch.reason = std::move(message.reason);
    if (num_fresh > 0) epoch.pieces.push_back({number, std::move(fresh), 0, origin});
  }
  if (is_last) SetCome(number, begun);
  return num_fresh > 0;
}

void Rebatcher::GiveUp(int64_t from, int64_t to) {
  for (int64_t number = std::max(from, come_before_); number < std::min(to, plan_.end); ++number) {
    if (HasCome(number)) continue;
    ++num_given_up_;
    SetCome(number, begun_[number]);
  }
}

std::optional<std::pair<int64_t, int64_t>> Rebatcher::Next() const {
  for (const auto& [number, epoch] : epochs_) {
    if (epoch.num_rows >= plan_.batch_rows) return std::pair(number, plan_.batch_rows);
    if (IsWhole(number)) return std::pair(number, epoch.num_rows);
  }
  if (come_before_ < std::min(done_before_ + plan_.window, plan_.end)) return std::nullopt;
  for (const auto& [number, epoch] : epochs_) {
    if (epoch.num_rows > 0) return std::pair(number, epoch.num_rows);
  }
  return std::nullopt;
}

absl::StatusOr<Inbox::Taken> Rebatcher::Cut(int64_t number, int64_t num_rows) {
  Epoch& epoch = epochs_[number];
  Taken taken{.batch = {.epoch = plan_.first_epoch + number,
                        .index = indices_[number]++,
                        .num_skipped = std::exchange(epoch.num_skipped, 0),
                        .num_filtered = std::exchange(epoch.num_filtered, 0)}};
  if (taken.batch.num_skipped > 0) taken.batch.reason = std::exchange(epoch.reason, {});
  epoch.num_rows -= num_rows;
  std::vector<batch::Batch> parts;
  while (num_rows > 0) {
    Piece& piece = epoch.pieces.front();
    const int64_t end = std::min(piece.begin + num_rows, piece.rows.num_rows());
    const int64_t count = end - piece.begin;
    parts.push_back(batch::Slice(piece.rows, std::exchange(piece.begin, end), end));
    num_rows -= count;
    Begun& begun = begun_[piece.number];
    begun.rows_waiting -= count;
    if (begun.has_come && begun.rows_waiting == 0) MarkDone(piece.number);
    if (end < piece.rows.num_rows()) continue;
    if (piece.origin) taken.origins.push_back(*piece.origin);
    epoch.pieces.pop_front();
  }
  if (epoch.num_rows == 0 && epoch.num_skipped == 0 && epoch.num_filtered == 0) {
    epochs_.erase(number);
    if (IsWhole(number)) indices_.erase(number);
  }
  if (parts.size() == 1) taken.batch.rows = std::move(parts[0]);
  if (parts.size() > 1) {
    ASSIGN_OR_RETURN(taken.batch.rows, batch::Concatenate(parts));
  }
  return taken;
}

absl::StatusOr<std::optional<Inbox::Taken>> Rebatcher::Take() {
  const auto next = Next();
  if (!next) return std::optional<Taken>();
  ASSIGN_OR_RETURN(Taken taken, Cut(next->first, next->second));
  return std::optional<Taken>(std::move(taken));
}

std::vector<int64_t> Rebatcher::DoneBeyond() const {
  return {done_beyond_.begin(), done_beyond_.end()};
}

}  // namespace tidemill::preprocess
