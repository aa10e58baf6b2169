#include "evaluator/windows/model_cache.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"
#include "config/config.h"
#include "models/artefact_spec.h"
#include "samples/dataset_schema.h"

namespace tidemill::evaluator {
namespace {

bool HasPart(const model_store::v1::Model& model, std::string_view name) {
  for (const model_store::v1::ModelPart& part : model.parts()) {
    if (part.name() == name && part.size_bytes() > 0) return true;
  }
  return false;
}

// Classes are numbers by their place in these lists, so equal names in another order would be
// compared wrongly. Classes without names are not renumbered.
absl::Status CheckClasses(const std::vector<std::string>& of_model,
                          const std::vector<std::string>& of_dataset) {
  if (of_model.empty() || of_dataset.empty() || of_model == of_dataset) return absl::OkStatus();
  return FailedPrecondition("the model knows the classes [{}], but the dataset has [{}]",
                            fmt::join(of_model, ", "), fmt::join(of_dataset, ", "));
}

}  // namespace

bool IsTransient(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded ||
         // The job's token has expired while the machine was suspended; another attempt has a new
         // one.
         status.code() == absl::StatusCode::kUnauthenticated;
}

absl::Status WhyUnusable(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInvalidArgument) return status;
  return FailedPrecondition("{}", std::string(status.message()));
}

ModelCache::ModelCache(model_store::ModelStoreClient& store, const storage::DatasetSpec& dataset,
                       Options options)
    : store_(store),
      samples_(samples::SchemaOf(dataset)),
      classes_(storage::EffectiveLabel(dataset).classes),
      options_(std::move(options)) {}

absl::StatusOr<std::vector<ScoredModel*>> ModelCache::GetFirst(std::span<const int64_t> model_ids) {
  TIDEMILL_CHECK(!model_ids.empty());
  ++num_calls_;
  std::vector<ScoredModel*> models;
  int64_t num_bytes = 0;
  for (const int64_t model_id : model_ids) {
    ASSIGN_OR_RETURN(Entry* const entry, Get(model_id));
    num_bytes += entry->num_bytes;
    if (!models.empty() && num_bytes > options_.max_bytes) break;  // It stays for the next call.
    entry->used = num_calls_;
    models.push_back(&entry->model);
    MakeRoom();
  }
  return models;
}

absl::StatusOr<ModelCache::Entry*> ModelCache::Get(int64_t model_id) {
  const auto known = models_.find(model_id);
  if (known != models_.end()) return &known->second;
  Entry entry;
  entry.model.model_id = model_id;
  entry.model.status = Load(entry);
  if (IsTransient(entry.model.status)) return entry.model.status;
  num_bytes_ += entry.num_bytes;
  return &models_.emplace(model_id, std::move(entry)).first->second;
}

void ModelCache::MakeRoom() {
  while (num_bytes_ > options_.max_bytes) {
    const auto oldest = std::min_element(
        models_.begin(), models_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    if (oldest->second.used == num_calls_) return;
    num_bytes_ -= oldest->second.num_bytes;
    models_.erase(oldest);
  }
}

absl::Status ModelCache::Load(Entry& entry) {
  ScoredModel& model = entry.model;
  const ModelId id{model.model_id};
  ASSIGN_OR_RETURN(const model_store::v1::Model stored, store_.GetModel(id));
  model.trigger = stored.trigger();
  ASSIGN_OR_RETURN(const std::string part, store_.ReadPart(id, std::string(models::kSpecPart)));
  ASSIGN_OR_RETURN(const auto spec, models::DecodeArtefactSpec(part));
  RETURN_IF_ERROR(CheckClasses(spec.classes, classes_));
  ASSIGN_OR_RETURN(model.graph, Prepare(spec.graph, stored));
  ASSIGN_OR_RETURN(const std::string weights,
                   store_.ReadPart(id, std::string(models::kWeightsPart)));
  entry.num_bytes = std::ssize(weights);
  if (spec.model->Program()) {
    ASSIGN_OR_RETURN(model.predictor, programs_.Make(spec, weights));
    return absl::OkStatus();
  }
  if (spec.model->File() && !is_in_sandbox_) {
    RETURN_IF_ERROR(options_.enter_sandbox(spec.graph));
    is_in_sandbox_ = true;
  }
  ASSIGN_OR_RETURN(model.predictor,
                   options_.make_predictor(spec.model, weights, models::ClassOutputsOf(spec)));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const PreparedGraph>> ModelCache::Prepare(
    const transform::GraphSpec& spec, const model_store::v1::Model& model) {
  ASSIGN_OR_RETURN(transform::Graph graph, transform::Graph::Build(spec, samples_));
  std::optional<transform::FittedState> fitted;
  if (graph.needs_fit() && HasPart(model, models::kFittedPart)) {
    ASSIGN_OR_RETURN(const std::string bytes,
                     store_.ReadPart(ModelId{model.model_id()}, std::string(models::kFittedPart)));
    ASSIGN_OR_RETURN(fitted, transform::FittedState::Decode(bytes));
  }
  ASSIGN_OR_RETURN(const transform::TargetScale target_scale,
                   transform::TargetScaleOf(spec, fitted ? &*fitted : nullptr));
  std::string fingerprint = graph.Fingerprint(fitted ? fitted->digest() : "");
  auto& shared = graphs_[fingerprint];
  if (shared == nullptr) {
    shared =
        std::make_shared<const PreparedGraph>(PreparedGraph{.graph = std::move(graph),
                                                            .fitted = std::move(fitted),
                                                            .fingerprint = std::move(fingerprint),
                                                            .target_scale = target_scale,
                                                            .spec = config::Print(spec)});
  }
  return shared;
}

}  // namespace tidemill::evaluator
