#include "supervisor/backtest/backtest_runner.h"

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/names.h"
#include "config/config.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor/backtest/compared_policies.h"
#include "supervisor/backtest/policy_trials.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {
namespace {

constexpr int kMaxShuffles = 1000;

absl::Status CheckShuffles(int num_shuffles) {
  if (num_shuffles >= 0 && num_shuffles <= kMaxShuffles) return absl::OkStatus();
  return InvalidArgument("{} shuffles of the history; write a number from 0 to {}", num_shuffles,
                         kMaxShuffles);
}

// Whether a selection, the last one of a schedule included, looks at records to leave some out.
bool Filters(const selector::SelectionSpec& selection) {
  constexpr int64_t kLastTrigger = std::numeric_limits<int64_t>::max();
  return selection->PolicyAt(1)->TakesFrom().where.has_value() ||
         selection->PolicyAt(kLastTrigger)->TakesFrom().where.has_value();
}

}  // namespace

absl::StatusOr<std::string> BacktestRunner::ZoneOf(const PipelineSpec& spec) const {
  const auto found = spec.datasets.find(spec.preprocess.dataset);
  if (found != spec.datasets.end() && found->second) return found->second->event_time.time_zone;
  ASSIGN_OR_RETURN(const auto dataset, downstream_.GetDataset(spec.preprocess.dataset));
  ASSIGN_OR_RETURN(const auto registered,
                   config::ReadKept<storage::DatasetSpec>(dataset.spec(), "dataset"));
  return registered.event_time.time_zone;
}

absl::StatusOr<v1::Pipeline> BacktestRunner::PipelineOf(
    const v1::WatchBacktestRequest& request) const {
  if (request.pipeline().empty()) {
    return pipelines_.Get(request.namespace_(), request.pipeline_name());
  }
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<PipelineSpec>(request.pipeline(), request.pipeline_name()));
  v1::Pipeline pipeline;
  ASSIGN_OR_RETURN(*pipeline.mutable_namespace_(), CheckedNamespace(request.namespace_()));
  pipeline.set_name(spec.name);
  pipeline.set_spec(request.pipeline());
  return pipeline;
}

absl::StatusOr<v1::WatchBacktestResponse::Final> BacktestRunner::Run(
    const v1::WatchBacktestRequest& request, const BacktestProgress& progress,
    const std::function<bool()>& is_wanted) const {
  RETURN_IF_ERROR(CheckShuffles(request.num_shuffles()));
  ASSIGN_OR_RETURN(const v1::Pipeline pipeline, PipelineOf(request));
  ASSIGN_OR_RETURN(const auto spec, config::ReadKept<PipelineSpec>(pipeline.spec(), "pipeline"));
  ASSIGN_OR_RETURN(const std::string zone, ZoneOf(spec));
  ASSIGN_OR_RETURN(std::vector<NamedPolicy> policies, ComparedPolicies(request, spec, zone));
  v1::WatchBacktestResponse::Final final;
  ASSIGN_OR_RETURN(const auto forecast, earlier_.ForecastTrainings(pipeline, final));
  ASSIGN_OR_RETURN(const auto matrix, earlier_.FindMatrix(request, pipeline, final));
  ASSIGN_OR_RETURN(const auto models, earlier_.FindModels(request, final));
  ASSIGN_OR_RETURN(const PastStream past,
                   PastStream::Open(downstream_, request, spec, progress, final));
  PolicyTrials trials(
      past, spec.selection, forecast,
      {.matrix = matrix ? &*matrix : nullptr, .models = models ? &*models : nullptr}, is_wanted);
  RETURN_IF_ERROR(trials.Begin(policies, request.num_shuffles(), final));
  const auto show = [&](Samples samples, std::span<const size_t> unlabelled) {
    return trials.Take(samples, unlabelled);
  };
  final.set_selection_filters(Filters(spec.selection));
  RETURN_IF_ERROR(past.Show(progress, show, final));
  RETURN_IF_ERROR(trials.Finish(final));
  return final;
}

}  // namespace tidemill::supervisor
