#include "supervisor/backtest/earlier_runs.h"

#include <utility>

#include "config/config.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {
namespace {

// Trainings that the forecast rests on.
constexpr int64_t kMaxTrainings = 1000;

PipelineName NameOf(const v1::Pipeline& pipeline) {
  return {.name_space = pipeline.namespace_(), .name = pipeline.name()};
}

// Fails if no matrix was found and the request needs one.
absl::Status CheckNoneIsNeeded(const v1::WatchBacktestRequest& request,
                               const v1::Pipeline& pipeline) {
  if (request.run_id() != 0) {
    return FailedPrecondition(
        "run {} has finished no evaluation by windows of time, so it is not known how good its "
        "models were over time; name another run, or none",
        request.run_id());
  }
  if (!request.measure().empty()) {
    return FailedPrecondition(
        "no run of pipeline {} has finished an evaluation by windows of time, so there is no {}; "
        "let one finish, or name a run of another pipeline",
        pipeline.name(), request.measure());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<TrainingForecast>> EarlierRuns::ForecastTrainings(
    const v1::Pipeline& pipeline, v1::WatchBacktestResponse::Final& final) const {
  TrainingCostModel model(kMaxTrainings);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    model = TrainingCostModel(kMaxTrainings);
    for (const TrainingCost& cost : CompletedTrainings(work, NameOf(pipeline), kMaxTrainings)) {
      model.Add(cost);
    }
    return absl::OkStatus();
  }));
  if (model.num_trainings() == 0) return std::optional<TrainingForecast>();
  const TrainingForecast forecast = model.Fit();
  final.set_num_trainings(model.num_trainings());
  final.set_base_seconds(forecast.base);
  final.set_seconds_per_sample(forecast.per_sample);
  return std::optional<TrainingForecast>(forecast);
}

absl::StatusOr<std::optional<EvaluationMatrix>> EarlierRuns::FindMatrix(
    const v1::WatchBacktestRequest& request, const v1::Pipeline& pipeline,
    v1::WatchBacktestResponse::Final& final) const {
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(pipeline.spec(), "pipeline"));
  ASSIGN_OR_RETURN(const std::vector<RunRow> runs, RunsToAsk(request, pipeline));
  for (const RunRow& run : runs) {
    auto chosen = MatrixOf(run, spec.preprocess.dataset, request.measure());
    // An earlier pipeline of the name may have read another dataset.
    if (request.run_id() == 0 && absl::IsFailedPrecondition(chosen.status())) continue;
    RETURN_IF_ERROR(chosen.status());
    if (!*chosen) continue;
    final.set_run_id(run.run_id.value);
    final.set_measure((*chosen)->measure);
    final.set_dataset((*chosen)->dataset);
    if (const auto measure = (*chosen)->matrix.of_pipeline()) {
      final.set_lower_is_better(measure->LowerIsBetter());
    }
    return std::optional<EvaluationMatrix>(std::move((*chosen)->matrix));
  }
  RETURN_IF_ERROR(CheckNoneIsNeeded(request, pipeline));
  return std::optional<EvaluationMatrix>();
}

absl::StatusOr<std::optional<StoredModels>> EarlierRuns::FindModels(
    const v1::WatchBacktestRequest& request, v1::WatchBacktestResponse::Final& final) const {
  if (!request.asks_models()) return std::optional<StoredModels>();
  if (final.run_id() == 0) {
    return FailedPrecondition(
        "no run of pipeline {} has finished an evaluation by windows of time, so there are no "
        "models to ask; let one finish, or name a run of another pipeline with --run",
        request.pipeline_name());
  }
  ASSIGN_OR_RETURN(const RunRow run, runs_.Find({final.run_id()}));
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(run.spec, "pipeline"));
  ASSIGN_OR_RETURN(const FoldedRun folded, runs_.Fold(run.run_id));
  ASSIGN_OR_RETURN(StoredModels models, StoredModels::Of(run, spec, folded.state));
  final.set_asks_models(true);
  return std::optional<StoredModels>(std::move(models));
}

absl::StatusOr<std::vector<RunRow>> EarlierRuns::RunsToAsk(const v1::WatchBacktestRequest& request,
                                                           const v1::Pipeline& pipeline) const {
  std::vector<RunRow> runs;
  if (request.run_id() != 0) {
    ASSIGN_OR_RETURN(RunRow run, runs_.Find({request.run_id()}));
    runs.push_back(std::move(run));
    return runs;
  }
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    runs = ListRuns(work, NameOf(pipeline));
    return absl::OkStatus();
  }));
  return runs;
}

absl::StatusOr<std::optional<ChosenMatrix>> EarlierRuns::MatrixOf(
    const RunRow& run, const std::string& dataset, const std::string& measure) const {
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(run.spec, "pipeline"));
  if (spec.preprocess.dataset != dataset) {
    return FailedPrecondition(
        "run {} of pipeline {} was trained on {}, but the history is of {}; name a run on {}",
        run.run_id.value, run.summary.pipeline_name(), spec.preprocess.dataset, dataset, dataset);
  }
  ASSIGN_OR_RETURN(const FoldedRun folded, runs_.Fold(run.run_id));
  if (!folded.state.stream_ended() && !folded.state.live()) return std::optional<ChosenMatrix>();
  ASSIGN_OR_RETURN(auto values, downstream_.ListEvaluations(run.run_id));
  auto chosen = ChooseMatrix(spec, folded.state, std::move(values), measure);
  if (!chosen.ok()) return Annotate(chosen.status(), fmt::format("run {}", run.run_id.value));
  return chosen;
}

}  // namespace tidemill::supervisor
