#include "supervisor/evidence/stored_evidence.h"

#include <algorithm>

#include "config/config.h"

namespace tidemill::supervisor {
namespace {

// Samples that one call asks about.
constexpr size_t kKeysAtATime = 100'000;
// Samples asked for ahead: as few as these at first, twice as many each time more are missing.
constexpr int64_t kFirstAhead = 512;
constexpr int64_t kMaxAhead = 16'384;

struct Asked {
  evaluator::v1::ModelColumn column;
  std::string_view name;
};

// How the evaluator calls it.
Asked ColumnOf(EvidenceKind kind) {
  switch (kind) {
    case EvidenceKind::kPredictions:
      return {evaluator::v1::MODEL_COLUMN_PREDICTION, "prediction"};
    case EvidenceKind::kEmbeddings:
      return {evaluator::v1::MODEL_COLUMN_EMBEDDING, "embedding"};
    default:
      return {evaluator::v1::MODEL_COLUMN_ERROR, "error"};
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<StoredEvidence>> StoredEvidence::Create(
    Downstream& downstream, EvidenceKeys& keys, DatasetId dataset, const std::string& dataset_spec,
    std::optional<ActiveModel> model) {
  ASSIGN_OR_RETURN(auto spec, config::ReadKept<storage::DatasetSpec>(dataset_spec, "dataset"));
  return std::unique_ptr<StoredEvidence>(new StoredEvidence(downstream, keys, dataset, dataset_spec,
                                                            std::move(spec), std::move(model)));
}

StoredEvidence::StoredEvidence(Downstream& downstream, EvidenceKeys& keys, DatasetId dataset,
                               std::string spec_text, storage::DatasetSpec spec,
                               std::optional<ActiveModel> model)
    : downstream_(downstream),
      keys_(keys),
      dataset_(dataset),
      spec_text_(std::move(spec_text)),
      values_(
          [&downstream](DatasetId read, std::span<const int64_t> some,
                        const std::function<absl::Status(batch::Batch)>& sink) {
            return downstream.ReadSamples(read, some, sink);
          },
          dataset, std::move(spec)),
      model_(std::move(model)) {}

absl::StatusOr<EvidenceTable> StoredEvidence::Read(const EvidenceRequest& request) {
  if (IsOfModel(request.kind) && !model_) {
    return FailedPrecondition(
        "the trigger policy needs the outputs of a model, but there is no model");
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> keys, keys_.KeysOf(request));
  if (request.kind != EvidenceKind::kOutcomes) {
    ASSIGN_OR_RETURN(const RowCache* rows, Known(request, keys));
    return rows->Table(keys, request.may_lack);
  }
  EvidenceRequest of_labels = request, of_predictions = request;
  of_labels.kind = EvidenceKind::kLabels;
  of_predictions.kind = EvidenceKind::kPredictions;
  ASSIGN_OR_RETURN(const RowCache* labels, Known(of_labels, keys));
  ASSIGN_OR_RETURN(const RowCache* predictions, Known(of_predictions, keys));
  return labels->TableBeside(*predictions, keys);
}

absl::StatusOr<const RowCache*> StoredEvidence::Known(const EvidenceRequest& request,
                                                      std::span<const int64_t> keys) {
  Kept& kept = kept_[{request.kind, request.columns}];
  std::vector<int64_t> unknown = kept.rows.Unknown(keys);
  if (!unknown.empty()) {
    std::vector<int64_t> ahead;
    // The rows drawn from one window say nothing about those that will be drawn from the next.
    const bool is_drawn =
        request.most_rows > 0 && static_cast<int64_t>(keys.size()) >= request.most_rows;
    // Nor is it known for which of the next samples a condition will hold.
    if (IsOfModel(request.kind) && !is_drawn && request.where.empty()) {
      ASSIGN_OR_RETURN(ahead, Ahead(request.to, unknown.size(), kept));
    }
    if (!kept.rows.HasRoomFor(unknown.size() + ahead.size())) {
      kept.rows.Clear();
      unknown = kept.rows.Unknown(keys);
    }
    const std::vector<int64_t> unknown_ahead = kept.rows.Unknown(ahead);
    unknown.insert(unknown.end(), unknown_ahead.begin(), unknown_ahead.end());
    RETURN_IF_ERROR(Fetch(request, unknown, kept.rows));
  }
  return &kept.rows;
}

int64_t StoredEvidence::num_bytes() const {
  int64_t bytes = 0;
  for (const auto& [subject, kept] : kept_) bytes += kept.rows.num_bytes();
  return bytes;
}

absl::StatusOr<std::vector<int64_t>> StoredEvidence::Ahead(const Cut& from, size_t num_missing,
                                                           Kept& kept) {
  const int64_t least = std::clamp(static_cast<int64_t>(num_missing), kFirstAhead, kMaxAhead);
  kept.num_ahead = std::clamp(2 * kept.num_ahead, least, kMaxAhead);
  return keys_.KeysFrom(from, kept.num_ahead);
}

absl::Status StoredEvidence::Fetch(const EvidenceRequest& request, std::span<const int64_t> keys,
                                   RowCache& rows) {
  for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kKeysAtATime))) {
    const auto some = keys.first(std::min(keys.size(), kKeysAtATime));
    const auto add = [&](const batch::Batch& values) {
      return rows.Add(values, samples::SampleValues::kValuesColumn);
    };
    if (IsOfModel(request.kind)) {
      RETURN_IF_ERROR(AskModel(request.kind, some, rows));
    } else if (request.kind == EvidenceKind::kLabels) {
      RETURN_IF_ERROR(values_.ReadLabels(some, add));
    } else {
      RETURN_IF_ERROR(
          values_.ReadColumns(some, request.columns, add, samples::SampleValues::Lacking::kKeep));
    }
    rows.Settle(some);
  }
  return absl::OkStatus();
}

absl::Status StoredEvidence::AskModel(EvidenceKind kind, std::span<const int64_t> keys,
                                      RowCache& rows) {
  const Asked asked = ColumnOf(kind);
  evaluator::v1::ReadModelColumnsRequest request;
  *request.mutable_command() = model_->command;
  request.set_model_id(model_->model_id);
  request.set_dataset_id(dataset_.value);
  request.set_dataset_spec(spec_text_);
  request.mutable_keys()->Add(keys.begin(), keys.end());
  request.add_columns(asked.column);
  request.set_workers(model_->workers);
  return downstream_.ReadModelColumns(
      request, [&](const batch::Batch& answer) { return rows.Add(answer, asked.name); });
}

}  // namespace tidemill::supervisor
