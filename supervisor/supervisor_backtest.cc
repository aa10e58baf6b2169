// Policies tried on the history of a pipeline's dataset.
#include <utility>

#include "supervisor/backtest.h"
#include "supervisor/cuts.h"
#include "supervisor/supervisor.h"

namespace tidemill::supervisor {
namespace {

// Trainings that the forecast rests on, and samples between two reports of progress.
constexpr int64_t kMostTrainings = 1000;
constexpr int64_t kProgressEvery = 1'000'000;

struct NamedPolicy {
  std::string name;
  TriggerSpec spec;
};

absl::StatusOr<std::vector<NamedPolicy>> PoliciesOf(const v1::WatchBacktestRequest& request,
                                                    const PipelineSpec& pipeline) {
  std::vector<NamedPolicy> policies;
  for (const auto& policy : request.policies()) {
    ASSIGN_OR_RETURN(TriggerSpec spec, config::Read<TriggerSpec>(policy.text(), policy.name()));
    policies.push_back({.name = policy.name(), .spec = std::move(spec)});
  }
  if (policies.empty()) policies.push_back({.name = pipeline.name, .spec = pipeline.trigger});
  return policies;
}

storage::v1::ListSamplesRequest History(const v1::WatchBacktestRequest& request,
                                        const ReplaySpec& replay) {
  storage::v1::ListSamplesRequest listing;
  std::optional<Timestamp> from = replay.from, to = replay.to;
  if (request.has_from()) from = Timestamp{request.from()};
  if (request.has_to()) to = Timestamp{request.to()};
  if (from) *listing.mutable_from() = ToProto(Cut{*from, {}});
  if (to) *listing.mutable_to() = ToProto(Cut{*to, {}});
  return listing;
}

v1::BacktestResult Shown(const NamedPolicy& policy, BacktestResult result) {
  v1::BacktestResult proto;
  proto.set_name(policy.name);
  proto.set_policy(config::Print(policy.spec));
  proto.set_num_triggers(result.num_triggers);
  proto.set_num_decisions(result.num_decisions);
  proto.set_num_selected(result.num_selected);
  proto.set_num_leftover(result.num_leftover);
  if (result.training_seconds) proto.set_training_seconds(*result.training_seconds);
  if (result.mean_latency_seconds) proto.set_mean_latency_seconds(*result.mean_latency_seconds);
  if (result.longest_latency_seconds) {
    proto.set_longest_latency_seconds(*result.longest_latency_seconds);
  }
  for (const BacktestTrigger& trigger : result.triggers) {
    auto& shown = *proto.add_triggers();
    *shown.mutable_at() = ToProto(trigger.at);
    shown.set_num_new(trigger.num_new);
    shown.set_num_selected(trigger.num_selected);
  }
  return proto;
}

}  // namespace

absl::StatusOr<v1::WatchBacktestResponse::Final> Supervisor::Backtest(
    const v1::WatchBacktestRequest& request, const BacktestProgress& progress) {
  ASSIGN_OR_RETURN(const v1::Pipeline pipeline,
                   GetPipeline(request.namespace_(), request.pipeline_name()));
  ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(pipeline.spec(), "pipeline"));
  ASSIGN_OR_RETURN(const std::vector<NamedPolicy> policies, PoliciesOf(request, spec));
  v1::WatchBacktestResponse::Final final;
  ASSIGN_OR_RETURN(const auto forecast, ForecastTrainings(pipeline, final));
  std::vector<supervisor::Backtest> tests;
  for (const NamedPolicy& policy : policies) {
    auto test = supervisor::Backtest::Create(policy.spec, spec.selection, forecast);
    if (!test.ok()) return Annotate(test.status(), policy.name);
    tests.push_back(*std::move(test));
  }
  ASSIGN_OR_RETURN(const int64_t num_samples,
                   ShowHistory(spec, History(request, spec.replay), progress, tests));
  final.set_num_samples(num_samples);
  for (size_t i = 0; i < tests.size(); ++i) {
    *final.add_results() = Shown(policies[i], std::move(tests[i]).Finish());
  }
  return final;
}

absl::StatusOr<std::optional<TrainingForecast>> Supervisor::ForecastTrainings(
    const v1::Pipeline& pipeline, v1::WatchBacktestResponse::Final& final) {
  TrainingCostModel model(kMostTrainings);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    model = TrainingCostModel(kMostTrainings);
    const PipelineName name{.name_space = pipeline.namespace_(), .name = pipeline.name()};
    for (const TrainingCost& cost : CompletedTrainings(work, name, kMostTrainings)) {
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

// Policies see each sample at the time at which its label becomes known, as in a replay.
absl::StatusOr<int64_t> Supervisor::ShowHistory(const PipelineSpec& spec,
                                                storage::v1::ListSamplesRequest listing,
                                                const BacktestProgress& progress,
                                                std::vector<supervisor::Backtest>& tests) {
  ASSIGN_OR_RETURN(const auto dataset, downstream_->GetDataset(spec.preprocess.dataset));
  ASSIGN_OR_RETURN(*listing.mutable_snapshot(),
                   downstream_->SyncDataset({dataset.dataset_id()}, [](const auto&) {}));
  ASSIGN_OR_RETURN(const auto data, config::Read<storage::DatasetSpec>(dataset.spec(), "dataset"));
  const int64_t delay = storage::EffectiveLabelDelay(data).micros;
  int64_t num_samples = 0;
  std::vector<int64_t> known;
  v1::WatchBacktestResponse::Progress report;
  report.set_num_samples_total(dataset.num_samples());
  RETURN_IF_ERROR(downstream_->ListSamples(listing, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* column,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto times = column->Values<int64_t>();
    known.assign(times.begin(), times.end());
    for (int64_t& time : known) time += delay;
    for (supervisor::Backtest& test : tests) {
      RETURN_IF_ERROR(test.Take({known, chunk.keys()}));
    }
    num_samples += chunk.num_rows();
    if (num_samples - report.num_samples() < kProgressEvery) return absl::OkStatus();
    report.set_num_samples(num_samples);
    return progress(report);
  }));
  return num_samples;
}

}  // namespace tidemill::supervisor
