#include "evaluator/job/model_cache.h"

#include <optional>
#include <utility>

#include "base/config.h"
#include "loader/sample_schema.h"
#include "models/artefact_spec.h"

namespace tidemill::evaluator {
namespace {

bool HasPart(const model_store::v1::Model& model, std::string_view name) {
  for (const model_store::v1::ModelPart& part : model.parts()) {
    if (part.name() == name && part.size_bytes() > 0) return true;
  }
  return false;
}

// Classes are numbers by their place in these lists, so equal names in another order would be
// compared wrongly. Classes without names are taken as they are.
absl::Status CheckClasses(const std::vector<std::string>& of_model,
                          const std::vector<std::string>& of_dataset) {
  if (of_model.empty() || of_dataset.empty() || of_model == of_dataset) return absl::OkStatus();
  return FailedPrecondition("the model knows the classes [{}], the dataset has [{}]",
                            fmt::join(of_model, ", "), fmt::join(of_dataset, ", "));
}

}  // namespace

bool IsTransient(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded;
}

ModelCache::ModelCache(model_store::ModelStoreClient& store, const storage::DatasetSpec& dataset,
                       PredictorFactory make_predictor)
    : store_(store),
      samples_(loader::SchemaOf(dataset)),
      classes_(storage::EffectiveLabel(dataset).classes),
      make_predictor_(std::move(make_predictor)) {}

absl::StatusOr<ScoredModel*> ModelCache::Get(int64_t model_id) {
  const auto known = models_.find(model_id);
  if (known != models_.end()) return &known->second;
  ScoredModel model;
  model.model_id = model_id;
  model.status = Load(model);
  if (IsTransient(model.status)) return model.status;
  return &models_.emplace(model_id, std::move(model)).first->second;
}

absl::Status ModelCache::Load(ScoredModel& model) {
  const ModelId id{model.model_id};
  ASSIGN_OR_RETURN(const model_store::v1::Model stored, store_.GetModel(id));
  model.trigger = stored.trigger();
  ASSIGN_OR_RETURN(const std::string yaml, store_.ReadPart(id, std::string(models::kSpecPart)));
  ASSIGN_OR_RETURN(const auto spec, config::Read<models::ArtefactSpec>(yaml, models::kSpecPart));
  RETURN_IF_ERROR(CheckClasses(spec.classes, classes_));
  ASSIGN_OR_RETURN(model.graph, Prepare(spec.graph, stored));
  ASSIGN_OR_RETURN(const std::string weights,
                   store_.ReadPart(id, std::string(models::kWeightsPart)));
  ASSIGN_OR_RETURN(model.predictor, make_predictor_(spec.model, weights));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const PreparedGraph>> ModelCache::Prepare(
    const transform::GraphSpec& spec, const model_store::v1::Model& model) {
  ASSIGN_OR_RETURN(transform::Graph graph, transform::Graph::Build(spec, samples_));
  std::optional<transform::FittedState> fitted;
  if (graph.needs_fit() && HasPart(model, models::kFittedPart)) {
    ASSIGN_OR_RETURN(std::string bytes,
                     store_.ReadPart(ModelId{model.model_id()}, std::string(models::kFittedPart)));
    ASSIGN_OR_RETURN(fitted, transform::FittedState::Decode(std::move(bytes)));
  }
  std::string fingerprint = graph.Fingerprint(fitted ? fitted->digest() : "");
  auto& shared = graphs_[fingerprint];
  if (shared == nullptr) {
    shared = std::make_shared<const PreparedGraph>(
        PreparedGraph{std::move(graph), std::move(fitted), std::move(fingerprint)});
  }
  return shared;
}

}  // namespace tidemill::evaluator
