#include "evaluator/windows/label_stream.h"

#include <tuple>

namespace tidemill::evaluator {
namespace {

auto Place(const rpc::v1::Cut& cut) { return std::tuple(cut.event_time(), cut.sample_key()); }

}  // namespace

bool LabelStream::HasPassed(const rpc::v1::Cut& cut) const {
  return position_ && Place(cut) < Place(*position_);
}

absl::Status LabelStream::ReadTo(const rpc::v1::Cut& to,
                                 const std::function<void(const TimedLabel&)>& sink) {
  if (position_ && Place(to) <= Place(*position_)) return absl::OkStatus();
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot_;
  if (position_) *request.mutable_from() = *position_;
  *request.mutable_to() = to;
  request.set_with_labels(true);
  RETURN_IF_ERROR(storage_->ListSamples(
      request, [&](const batch::Batch& samples) { return Give(samples, sink); }));
  position_ = to;
  return absl::OkStatus();
}

absl::Status LabelStream::Give(const batch::Batch& samples,
                               const std::function<void(const TimedLabel&)>& sink) const {
  const batch::Column* labels =
      samples.Find(is_class_ ? batch::kClassLabelColumn : batch::kRealLabelColumn);
  if (labels == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Column* times,
                   samples.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    if (!labels->IsValid(row)) continue;
    const auto place = static_cast<size_t>(row);
    TimedLabel label{.event_time = times->Values<int64_t>()[place], .label = {}};
    if (is_class_) {
      label.label.of_class = labels->Values<int64_t>()[place];
    } else {
      label.label.value = labels->Values<double>()[place];
    }
    sink(label);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::evaluator
