#include "selector/stored_facts.h"

#include <algorithm>

#include "config/config.h"

namespace tidemill::selector {
namespace {

// As many as one call to the evaluator takes.
constexpr size_t kMaxKeys = 1'000'000;

}  // namespace

absl::Status StoredFacts::ReadColumn(std::span<const int64_t> keys, const std::string& column,
                                     const Sink& sink) {
  if (!values_) {
    ASSIGN_OR_RETURN(auto spec,
                     config::ReadKept<storage::DatasetSpec>(request_.dataset_spec(), "dataset"));
    values_.emplace(read_samples_, DatasetId{request_.snapshot().dataset_id()}, std::move(spec));
  }
  return values_->ReadColumns(keys, {column}, sink);
}

absl::Status StoredFacts::ReadModel(std::span<const int64_t> keys, bool with_predictions,
                                    const Sink& sink) {
  if (!has_model()) return FailedPrecondition("run {} has no model", request_.command().run_id());
  if (!read_model_) {
    return FailedPrecondition(
        "the policy needs the predictions of a model, but the selector has no endpoint of the "
        "evaluator; name it in cluster.endpoints");
  }
  evaluator::v1::ReadModelColumnsRequest request;
  *request.mutable_command() = request_.command();
  request.set_model_id(request_.model_id());
  request.set_dataset_id(request_.snapshot().dataset_id());
  request.set_dataset_spec(request_.dataset_spec());
  request.set_workers(request_.workers());
  request.add_columns(evaluator::v1::MODEL_COLUMN_EMBEDDING);
  if (with_predictions) request.add_columns(evaluator::v1::MODEL_COLUMN_PREDICTION);
  for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kMaxKeys))) {
    const auto some = keys.first(std::min(keys.size(), kMaxKeys));
    request.mutable_keys()->Clear();
    request.mutable_keys()->Add(some.begin(), some.end());
    RETURN_IF_ERROR(read_model_(request, [&](const batch::Batch& rows) { return sink(rows); }));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::selector
