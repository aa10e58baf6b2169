#include "evaluator/job/window_measurement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "evaluator/job/short_reason.h"

namespace tidemill::evaluator {
namespace {

absl::Status CheckTarget(std::span<const MeasureSpec> measures, const transform::Graph& graph) {
  const auto target = graph.target();
  if (!target) return FailedPrecondition("the model's graph makes no target to measure against");
  const bool is_class = target->type == batch::DataType::kInt64;
  for (const MeasureSpec& measure : measures) {
    if (IsOfClasses(measure) == is_class) continue;
    return FailedPrecondition("{} compares {}, and the model's graph makes {}", NameOf(measure),
                              is_class ? "real values" : "classes",
                              is_class ? "classes" : "real values");
  }
  return absl::OkStatus();
}

}  // namespace

WindowMeasurement::WindowMeasurement(int64_t window_index, std::span<const MeasureSpec> measures,
                                     std::span<ScoredModel* const> models)
    : window_index_(window_index), measures_(measures) {
  for (ScoredModel* model : models) {
    Tally& tally = tallies_.emplace_back(Tally{.model = model, .status = model->status});
    if (tally.status.ok()) tally.status = CheckTarget(measures, model->graph->graph);
    for (const MeasureSpec& measure : measures) {
      tally.accumulators.push_back(NewAccumulator(measure));
    }
  }
  std::map<std::string, std::vector<Tally*>> by_graph;
  for (Tally& tally : tallies_) {
    if (tally.status.ok()) by_graph[tally.model->graph->fingerprint].push_back(&tally);
  }
  for (auto& [fingerprint, group] : by_graph) groups_.push_back(std::move(group));
}

void WindowMeasurement::Add(const batch::Batch& samples, int64_t num_missing) {
  for (Tally& tally : tallies_) tally.num_skipped += num_missing;
  if (samples.num_rows() == 0) return;
  for (const std::vector<Tally*>& group : groups_) {
    const absl::Status status = AddToGroup(group, samples);
    if (status.ok()) continue;
    for (Tally* tally : group) tally->status.Update(status);
  }
}

absl::Status WindowMeasurement::AddToGroup(std::span<Tally* const> group,
                                           const batch::Batch& samples) {
  if (std::none_of(group.begin(), group.end(), [](Tally* tally) { return tally->status.ok(); })) {
    return absl::OkStatus();
  }
  const PreparedGraph& prepared = *group.front()->model->graph;
  ++num_graph_runs_;
  ASSIGN_OR_RETURN(const transform::Transformed transformed,
                   prepared.graph.Run(samples, prepared.fitted ? &*prepared.fitted : nullptr));
  for (Tally* tally : group) {
    tally->num_skipped += static_cast<int64_t>(transformed.bad.size());
    if (transformed.batch.num_rows() == 0 || !tally->status.ok()) continue;
    tally->status = AddToModel(*tally, transformed.batch);
  }
  return absl::OkStatus();
}

absl::Status WindowMeasurement::AddToModel(Tally& tally, const batch::Batch& transformed) {
  const int64_t num_rows = transformed.num_rows();
  ASSIGN_OR_RETURN(const batch::Column* input,
                   transformed.Get(transform::kInputColumn, batch::DataType::kFloat32));
  const batch::Column* target = transformed.Find(transform::kTargetColumn);
  if (target == nullptr) return Internal("the graph made no target");
  Outcomes outcomes;
  std::vector<int64_t> classes;
  std::vector<float> values;
  if (target->type == batch::DataType::kInt64) {
    ASSIGN_OR_RETURN(classes, tally.model->predictor->PredictClasses(*input, num_rows));
    outcomes = {.predicted_classes = classes, .true_classes = target->Values<int64_t>()};
  } else {
    ASSIGN_OR_RETURN(values, tally.model->predictor->PredictValues(*input, num_rows));
    outcomes = {.predicted_values = values, .true_values = target->Values<float>()};
  }
  for (const auto& accumulator : tally.accumulators) accumulator->Add(outcomes);
  tally.num_samples += num_rows;
  return absl::OkStatus();
}

void WindowMeasurement::Fail(const absl::Status& reason) {
  for (Tally& tally : tallies_) tally.status.Update(reason);
}

std::vector<v1::ModelScores> WindowMeasurement::Scores() const {
  std::vector<v1::ModelScores> all;
  for (const Tally& tally : tallies_) {
    v1::ModelScores& scores = all.emplace_back();
    scores.set_window_index(window_index_);
    scores.set_model_id(tally.model->model_id);
    scores.set_trigger(tally.model->trigger);
    if (tally.status.ok()) scores.set_num_samples(tally.num_samples);
    scores.set_num_skipped(tally.num_skipped);
    if (!tally.status.ok()) scores.set_failure(ShortReason(tally.status));
    for (size_t i = 0; i < measures_.size(); ++i) {
      v1::Score& score = *scores.add_scores();
      score.set_measure(NameOf(measures_[i]));
      const auto value = tally.accumulators[i]->Value();
      if (tally.status.ok() && value) score.set_value(*value);
    }
  }
  return all;
}

}  // namespace tidemill::evaluator
