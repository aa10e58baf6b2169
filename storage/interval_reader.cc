#include "storage/interval_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/sample_columns.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kRowsPerBatch = 65'536;

}  // namespace

absl::StatusOr<IntervalReader> IntervalReader::Create(std::shared_ptr<const DatasetIndex> index,
                                                      const IntervalQuery& query) {
  if (query.num_workers < 0 ||
      (query.num_workers > 0 &&
       (query.worker_index < 0 || query.worker_index >= query.num_workers))) {
    return InvalidArgument("there is no worker {} of {}", query.worker_index, query.num_workers);
  }
  return IntervalReader(std::move(index), query);
}

IntervalReader::IntervalReader(std::shared_ptr<const DatasetIndex> index,
                               const IntervalQuery& query)
    : index_(std::move(index)), query_(query), num_to_take_(std::numeric_limits<int64_t>::max()) {
  if (query_.after_key > 0) {
    SeekNewer();
  } else {
    order_ = &index_->order();
    position_ = query.from.has_value() ? index_->LowerBound(*query.from) : 0;
    end_ = query.to.has_value() ? index_->LowerBound(*query.to) : index_->num_rows();
  }
  if (query.num_workers == 0) return;
  const int64_t count = CountRest();
  num_to_skip_ = count * query.worker_index / query.num_workers;
  num_to_take_ = count * (query.worker_index + 1) / query.num_workers - num_to_skip_;
}

// Rows ascend with keys, so those of newer samples are the last ones: they are few where a stream
// is followed, and ordering them by themselves is cheaper than passing over all others.
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
    const Cut place{{sample.event_time()}, {sample.key()}};
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

bool IntervalReader::Holds(const SampleLocation& sample, size_t& horizon) const {
  const int64_t key = sample.key();
  if (key > query_.committed_key || index_->IsDeleted(key, query_.tombstone_sequence)) return false;
  if (query_.horizons.empty()) return true;
  const Cut place{{sample.event_time()}, {key}};
  while (horizon < query_.horizons.size() && query_.horizons[horizon].before <= place) ++horizon;
  return horizon == query_.horizons.size() || key <= query_.horizons[horizon].committed_key;
}

int64_t IntervalReader::CountRest() const {
  if (query_.committed_key >= index_->committed_key() && index_->parts().tombstones->empty() &&
      query_.horizons.empty()) {
    return std::max<int64_t>(0, end_ - position_);
  }
  size_t horizon = horizon_;
  int64_t count = 0;
  for (int64_t position = position_; position < end_; ++position) {
    count += Holds(At(position), horizon) ? 1 : 0;
  }
  return count;
}

absl::StatusOr<std::optional<batch::Batch>> IntervalReader::Next() {
  SampleColumns columns;
  while (position_ < end_ && num_to_take_ > 0 && columns.num_rows() < kRowsPerBatch) {
    const SampleLocation location = At(position_++);
    if (!Holds(location, horizon_)) continue;
    if (num_to_skip_ > 0) {
      --num_to_skip_;
      continue;
    }
    --num_to_take_;
    columns.Add(location);
  }
  if (columns.num_rows() == 0) return std::optional<batch::Batch>();
  ASSIGN_OR_RETURN(batch::Batch batch, columns.Finish(query_.with_labels));
  return std::optional<batch::Batch>(std::move(batch));
}

}  // namespace tidemill::storage
