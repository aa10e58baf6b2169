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
    : index_(std::move(index)),
      query_(query),
      position_(query.from.has_value() ? index_->LowerBound(*query.from) : 0),
      end_(query.to.has_value() ? index_->LowerBound(*query.to) : index_->num_rows()),
      num_to_take_(std::numeric_limits<int64_t>::max()) {
  if (query.num_workers == 0) return;
  const int64_t count = CountRest();
  num_to_skip_ = count * query.worker_index / query.num_workers;
  num_to_take_ = count * (query.worker_index + 1) / query.num_workers - num_to_skip_;
}

bool IntervalReader::Holds(int64_t key) const {
  return key <= query_.committed_key && !index_->IsDeleted(key, query_.tombstone_sequence);
}

int64_t IntervalReader::CountRest() const {
  if (query_.committed_key >= index_->committed_key() && index_->parts().tombstones->empty()) {
    return std::max<int64_t>(0, end_ - position_);
  }
  const SampleOrder& order = index_->order();
  int64_t count = 0;
  for (int64_t position = position_; position < end_; ++position) {
    count += Holds(index_->LocationOf(order.RowAt(position)).key()) ? 1 : 0;
  }
  return count;
}

absl::StatusOr<std::optional<batch::Batch>> IntervalReader::Next() {
  const SampleOrder& order = index_->order();
  SampleColumns columns;
  while (position_ < end_ && num_to_take_ > 0 && columns.num_rows() < kRowsPerBatch) {
    const SampleLocation location = index_->LocationOf(order.RowAt(position_++));
    if (!Holds(location.key())) continue;
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
