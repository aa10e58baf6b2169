#include "storage/index/interval_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tidemill::storage {

namespace {

constexpr int64_t kRowsPerBatch = 65'536;
// From here on, a separate batch without copying.
constexpr int64_t kLongRun = 8'192;

}  // namespace

absl::StatusOr<IntervalReader> IntervalReader::Create(std::shared_ptr<const DatasetIndex> index,
                                                      const IntervalQuery& query) {
  if (query.num_workers < 0 ||
      (query.num_workers > 0 &&
       (query.worker_index < 0 || query.worker_index >= query.num_workers))) {
    return InvalidArgument("there is no worker {} of {}", query.worker_index, query.num_workers);
  }
  IntervalReader reader(std::move(index), query);
  RETURN_IF_ERROR(reader.Seek());
  return reader;
}

IntervalReader::IntervalReader(std::shared_ptr<const DatasetIndex> index,
                               const IntervalQuery& query)
    : index_(std::move(index)),
      query_(query),
      deletions_(index_->deletions()),
      num_to_take_(std::numeric_limits<int64_t>::max()) {}

absl::Status IntervalReader::Seek() {
  if (query_.after_key > 0) {
    SeekNewer();
  } else {
    order_ = &index_->order();
    if (!order_->is_sound()) return DamagedColumns(index_->dataset());
    end_ = index_->num_rows();
    if (query_.from.has_value()) {
      ASSIGN_OR_RETURN(position_, index_->LowerBound(*query_.from));
    }
    if (query_.to.has_value()) {
      ASSIGN_OR_RETURN(end_, index_->LowerBound(*query_.to));
    }
  }
  if (query_.num_workers > 0) {
    const int64_t count = CountRest();
    num_to_skip_ = count * query_.worker_index / query_.num_workers;
    num_to_take_ = count * (query_.worker_index + 1) / query_.num_workers - num_to_skip_;
  }
  num_to_skip_ += query_.num_listed;
  num_to_take_ -= query_.num_listed;
  return is_sound_ ? absl::OkStatus() : DamagedColumns(index_->dataset());
}

Cut IntervalReader::PlaceOf(const SampleLocation& sample) {
  is_sound_ = is_sound_ && sample.segment->columns->TimeIsSound(sample.row);
  return {{sample.event_time()}, {sample.key()}};
}

// The rows of a segment from `from` on that are before a cut end here, where times ascend.
int64_t IntervalReader::EndBefore(const IndexedSegment& segment, int64_t from, int64_t to,
                                  const Cut& cut) {
  while (from < to) {
    const int64_t middle = from + (to - from) / 2;
    if (PlaceOf({&segment, middle}) < cut) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

// Rows ascend with keys, so those of newer samples are the last ones: they are few where a stream
// is followed, and ordering them separately is cheaper than passing over all others.
void IntervalReader::SeekNewer() {
  int64_t first = 0;
  for (int64_t end = index_->num_rows(); first < end;) {
    const int64_t middle = first + (end - first) / 2;
    if (index_->LocationOf(middle).key() <= query_.after_key) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  std::vector<std::pair<int64_t, int64_t>> timed;
  for (int64_t row = first; row < index_->num_rows(); ++row) {
    const SampleLocation sample = index_->LocationOf(row);
    const Cut place = PlaceOf(sample);
    if (query_.from.has_value() && place < *query_.from) continue;
    if (query_.to.has_value() && place >= *query_.to) continue;
    timed.emplace_back(sample.event_time(), row);
  }
  std::sort(timed.begin(), timed.end());
  newer_rows_.reserve(timed.size());
  for (const auto& [time, row] : timed) newer_rows_.push_back(row);
  end_ = static_cast<int64_t>(newer_rows_.size());
}

SampleLocation IntervalReader::At(int64_t position) const {
  return index_->LocationOf(order_ == nullptr ? newer_rows_[static_cast<size_t>(position)]
                                              : order_->RowAt(position));
}

int64_t IntervalReader::FirstDeleted(int64_t from, int64_t end) const {
  auto deletion = std::lower_bound(deletions_->begin(), deletions_->end(), from,
                                   [](const Deletion& one, int64_t key) { return one.key < key; });
  for (; deletion != deletions_->end() && deletion->key < end; ++deletion) {
    if (deletion->sequence <= query_.tombstone_sequence) return deletion->key;
  }
  return end;
}

void IntervalReader::PassHorizons(const Cut& place) {
  while (horizon_ < query_.horizons.size() && query_.horizons[horizon_].before <= place) ++horizon_;
}

int64_t IntervalReader::KeyLimit() const {
  if (horizon_ == query_.horizons.size()) return query_.committed_key;
  return std::min(query_.committed_key, query_.horizons[horizon_].committed_key);
}

bool IntervalReader::Holds(const SampleLocation& sample) {
  const int64_t key = sample.key();
  if (!query_.horizons.empty()) PassHorizons(PlaceOf(sample));
  return key <= KeyLimit() && FirstDeleted(key, key + 1) != key;
}

std::optional<RowRun> IntervalReader::NextRunByKey(int64_t max_rows) {
  while (position_ < end_) {
    const SampleLocation first = index_->LocationOf(position_);
    const IndexedSegment& segment = *first.segment;
    int64_t to = std::min(segment.num_samples, end_ - segment.first_row);
    if (!query_.horizons.empty()) {
      PassHorizons(PlaceOf(first));
      if (horizon_ < query_.horizons.size()) {
        to = EndBefore(segment, first.row, to, query_.horizons[horizon_].before);
      }
    }
    // Keys ascend, so those let through come first.
    const int64_t held = std::min(to, KeyLimit() - segment.first_key + 1);
    if (held <= first.row) {
      position_ = segment.first_row + to;
      continue;
    }
    const int64_t end = segment.first_key + std::min(held, first.row + max_rows);
    const int64_t deleted = FirstDeleted(first.key(), end);
    if (deleted == first.key()) {
      ++position_;
      continue;
    }
    const RowRun run{&segment, first.row, deleted - segment.first_key};
    position_ += run.num_rows();
    return run;
  }
  return std::nullopt;
}

std::optional<RowRun> IntervalReader::NextRunByPosition(int64_t max_rows) {
  while (position_ < end_) {
    const SampleLocation first = At(position_++);
    if (!Holds(first)) continue;
    RowRun run{first.segment, first.row, first.row + 1};
    for (; position_ < end_ && run.num_rows() < max_rows; ++position_, ++run.to) {
      const SampleLocation next = At(position_);
      if (next.segment != run.segment || next.row != run.to || !Holds(next)) break;
    }
    return run;
  }
  return std::nullopt;
}

std::optional<RowRun> IntervalReader::NextRun(int64_t max_rows) {
  const bool is_by_key = order_ != nullptr && order_->is_by_key();
  return is_by_key ? NextRunByKey(max_rows) : NextRunByPosition(max_rows);
}

std::optional<RowRun> IntervalReader::NextRunOfWorker(int64_t max_rows) {
  while (num_to_skip_ > 0) {
    const std::optional<RowRun> skipped = NextRun(num_to_skip_);
    if (!skipped.has_value()) return std::nullopt;
    num_to_skip_ -= skipped->num_rows();
  }
  if (num_to_take_ == 0) return std::nullopt;
  const std::optional<RowRun> run = NextRun(std::min(max_rows, num_to_take_));
  if (run.has_value()) num_to_take_ -= run->num_rows();
  return run;
}

int64_t IntervalReader::CountRest() {
  IntervalReader counted = *this;
  int64_t count = 0;
  while (const auto run = counted.NextRun(std::numeric_limits<int64_t>::max() / 2)) {
    count += run->num_rows();
  }
  is_sound_ = is_sound_ && counted.is_sound_;
  return count;
}

absl::StatusOr<std::optional<batch::Batch>> IntervalReader::Next(int64_t most_rows) {
  most_rows = std::min(most_rows, kRowsPerBatch);
  std::vector<RowRun> runs;
  // Long runs are sent in place; short ones are worth a copy.
  int64_t num_rows = 0;
  while (num_rows < most_rows) {
    const std::optional<RowRun> run = NextRunOfWorker(most_rows - num_rows);
    if (!run.has_value()) break;
    is_sound_ =
        is_sound_ && run->segment->columns->RowsAreSound(run->from, run->to, query_.with_labels);
    runs.push_back(*run);
    num_rows += run->num_rows();
    if (runs.size() == 1 && num_rows >= kLongRun) break;
  }
  if (!is_sound_) return DamagedColumns(index_->dataset());
  if (runs.empty()) return std::optional<batch::Batch>();
  ASSIGN_OR_RETURN(batch::Batch batch, ListColumns(runs, query_.with_labels));
  return std::optional<batch::Batch>(std::move(batch));
}

}  // namespace tidemill::storage
