// Policies tried on the history of a pipeline's dataset.
#include <algorithm>
#include <utility>

#include "base/names.h"
#include "supervisor/backtest/backtest.h"
#include "supervisor/backtest/false_alarms.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/measuring/evaluation_values.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/supervisor.h"

namespace tidemill::supervisor {
namespace {

// Trainings that the forecast rests on, and samples between two reports of progress.
constexpr int64_t kMostTrainings = 1000;
constexpr int64_t kProgressEvery = 1'000'000;
constexpr int kMostShuffles = 1000;

struct NamedPolicy {
  std::string name;
  TriggerSpec spec;
  bool own = false;  // The pipeline's.
};

// How the pipeline's own policy is called beside others: no file has a name like this.
constexpr char kOwn[] = "(the pipeline's)";

absl::StatusOr<std::vector<NamedPolicy>> PoliciesOf(const v1::WatchBacktestRequest& request,
                                                    const PipelineSpec& pipeline) {
  std::vector<NamedPolicy> policies;
  for (const auto& policy : request.policies()) {
    if (!policy.name().empty()) RETURN_IF_ERROR(CheckLabel("policy's name", policy.name()));
    ASSIGN_OR_RETURN(TriggerSpec spec, config::Read<TriggerSpec>(policy.text(), policy.name()));
    policies.push_back({.name = policy.name(), .spec = std::move(spec)});
  }
  // What the others are compared with, unless it is among them.
  const std::string own = config::Print(pipeline.trigger);
  const auto found = std::find_if(policies.begin(), policies.end(), [&](const NamedPolicy& policy) {
    return config::Print(policy.spec) == own;
  });
  if (found != policies.end()) {
    found->own = true;
  } else {
    policies.push_back(
        {.name = policies.empty() ? pipeline.name : kOwn, .spec = pipeline.trigger, .own = true});
  }
  return policies;
}

storage::v1::ListSamplesRequest ListingOf(const v1::WatchBacktestRequest& request,
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
  proto.set_own(policy.own);
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
  if (result.value) proto.set_value(*result.value);
  if (result.interval) {
    proto.set_low(result.interval->first);
    proto.set_high(result.interval->second);
  }
  proto.set_num_measured(result.num_measured);
  proto.set_num_windows_left_out(result.num_windows_left_out);
  for (const BacktestTrigger& trigger : result.triggers) {
    auto& shown = *proto.add_triggers();
    *shown.mutable_at() = ToProto(trigger.at);
    shown.set_num_new(trigger.num_new);
    shown.set_num_selected(trigger.num_selected);
  }
  return proto;
}

// A copy of the history for shuffles, while it is shown.
void Remember(Samples samples, History& history) {
  history.times.insert(history.times.end(), samples.event_times.begin(), samples.event_times.end());
  history.keys.insert(history.keys.end(), samples.keys.begin(), samples.keys.end());
}

absl::Status CheckShuffles(int num_shuffles) {
  if (num_shuffles >= 0 && num_shuffles <= kMostShuffles) return absl::OkStatus();
  return InvalidArgument("{} shuffles of the history; write a number from 0 to {}", num_shuffles,
                         kMostShuffles);
}

}  // namespace

absl::StatusOr<v1::WatchBacktestResponse::Final> Supervisor::Backtest(
    const v1::WatchBacktestRequest& request, const BacktestProgress& progress) {
  RETURN_IF_ERROR(CheckShuffles(request.num_shuffles()));
  ASSIGN_OR_RETURN(const v1::Pipeline pipeline,
                   GetPipeline(request.namespace_(), request.pipeline_name()));
  ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(pipeline.spec(), "pipeline"));
  ASSIGN_OR_RETURN(std::vector<NamedPolicy> policies, PoliciesOf(request, spec));
  v1::WatchBacktestResponse::Final final;
  ASSIGN_OR_RETURN(const auto forecast, ForecastTrainings(pipeline, final));
  ASSIGN_OR_RETURN(const auto matrix, FindMatrix(request, pipeline, final));
  ASSIGN_OR_RETURN(const PastStream past, OpenPast(request, spec));
  StoredKeys keys(*downstream_, past.label_delay, [&] { return past.listing; });
  ASSIGN_OR_RETURN(const auto evidence, EvidenceOfPast(past, keys));
  std::vector<supervisor::Backtest> tests;
  for (auto at = policies.begin(); at != policies.end();) {
    const NamedPolicy& policy = *at;
    auto test = supervisor::Backtest::Create(policy.spec, spec.selection, forecast, evidence.get(),
                                             matrix ? &*matrix : nullptr);
    // Nobody asked for it, so that others are tried without it.
    if (!test.ok() && policy.name == kOwn) {
      final.set_own_left_out(std::string(test.status().message()));
      at = policies.erase(at);
      continue;
    }
    if (!test.ok()) return Annotate(test.status(), policy.name);
    tests.push_back(*std::move(test));
    if (Needs(policy.spec, &TriggerNeeds::samples)) final.set_num_shuffles(request.num_shuffles());
    ++at;
  }
  History history;
  const auto show = [&](Samples samples) -> absl::Status {
    if (final.num_shuffles() > 0) Remember(samples, history);
    for (size_t i = 0; i < tests.size(); ++i) {
      const absl::Status status = tests[i].Take(samples);
      if (!status.ok()) return Annotate(status, policies[i].name);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ShowPast(past, progress, show, final));
  for (size_t i = 0; i < tests.size(); ++i) {
    v1::BacktestResult& result = *final.add_results();
    result = Shown(policies[i], std::move(tests[i]).Finish());
    if (final.num_shuffles() == 0 || !LooksAtSamples(policies[i].spec)) continue;
    const auto begin = [&](EvidenceSource& source) {
      return supervisor::Backtest::Create(policies[i].spec, spec.selection, forecast, &source);
    };
    const auto evidence_of = [&](ShuffledHistory& shuffled) {
      return EvidenceOfPast(past, shuffled);
    };
    ASSIGN_OR_RETURN(const double alarms,
                     CountFalseAlarms(history, final.num_shuffles(), begin, evidence_of));
    result.set_num_false_alarms(alarms);
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

absl::StatusOr<std::optional<EvaluationMatrix>> Supervisor::FindMatrix(
    const v1::WatchBacktestRequest& request, const v1::Pipeline& pipeline,
    v1::WatchBacktestResponse::Final& final) {
  ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(pipeline.spec(), "pipeline"));
  const std::string& dataset = spec.preprocess.dataset;
  std::vector<RunRow> runs;
  if (request.run_id() != 0) {
    ASSIGN_OR_RETURN(RunRow run, Find({request.run_id()}));
    runs.push_back(std::move(run));
  } else {
    RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
      runs = supervisor::ListRuns(work,
                                  {.name_space = pipeline.namespace_(), .name = pipeline.name()});
      return absl::OkStatus();
    }));
  }
  for (const RunRow& run : runs) {
    auto chosen = MatrixOf(run, dataset, request.measure());
    // An earlier pipeline of the name may have read another dataset.
    if (request.run_id() == 0 && absl::IsFailedPrecondition(chosen.status())) continue;
    RETURN_IF_ERROR(chosen.status());
    if (!*chosen) continue;
    final.set_run_id(run.run_id.value);
    final.set_measure((*chosen)->measure);
    final.set_dataset((*chosen)->dataset);
    return std::optional<EvaluationMatrix>(std::move((*chosen)->matrix));
  }
  if (request.run_id() != 0) {
    return FailedPrecondition(
        "run {} has finished no evaluation by windows of time, so it cannot tell what its models "
        "were worth when; name another run, or none",
        request.run_id());
  }
  if (!request.measure().empty()) {
    return FailedPrecondition(
        "no run of pipeline {} has finished an evaluation by windows of time, so there is no {}; "
        "let one finish, or name a run of another pipeline",
        pipeline.name(), request.measure());
  }
  return std::optional<EvaluationMatrix>();
}

absl::StatusOr<std::optional<ChosenMatrix>> Supervisor::MatrixOf(const RunRow& run,
                                                                 const std::string& dataset,
                                                                 const std::string& measure) {
  ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(run.spec, "pipeline"));
  if (spec.preprocess.dataset != dataset) {
    return FailedPrecondition(
        "run {} of pipeline {} was trained on {}, and the history is that of {}; name a run on {}",
        run.run_id.value, run.summary.pipeline_name(), spec.preprocess.dataset, dataset, dataset);
  }
  std::vector<EventRow> events;
  ASSIGN_OR_RETURN(const RunState state, Fold(run.run_id, events));
  if (!state.stream_ended() && !state.live()) return std::optional<ChosenMatrix>();
  ASSIGN_OR_RETURN(auto values, downstream_->ListEvaluations(run.run_id));
  TakeBaselines(values);
  auto chosen = ChooseMatrix(spec, state, std::move(values), measure);
  if (!chosen.ok()) return Annotate(chosen.status(), fmt::format("run {}", run.run_id.value));
  return chosen;
}

absl::StatusOr<Supervisor::PastStream> Supervisor::OpenPast(const v1::WatchBacktestRequest& request,
                                                            const PipelineSpec& spec) {
  PastStream past{.dataset = {}, .listing = ListingOf(request, spec.replay), .label_delay = {}};
  ASSIGN_OR_RETURN(past.dataset, downstream_->GetDataset(spec.preprocess.dataset));
  ASSIGN_OR_RETURN(*past.listing.mutable_snapshot(),
                   downstream_->SyncDataset({past.dataset.dataset_id()}, [](const auto&) {}));
  // As it is now: the first sync completes the spec.
  ASSIGN_OR_RETURN(past.dataset, downstream_->GetDataset(spec.preprocess.dataset));
  ASSIGN_OR_RETURN(const auto data,
                   config::Read<storage::DatasetSpec>(past.dataset.spec(), "dataset"));
  past.label_delay = storage::EffectiveLabelDelay(data);
  return past;
}

absl::StatusOr<std::unique_ptr<EvidenceSource>> Supervisor::EvidenceOfPast(const PastStream& past,
                                                                           EvidenceKeys& keys) {
  return StoredEvidence::Create(*downstream_, keys, {past.dataset.dataset_id()},
                                past.dataset.spec(), /*model=*/std::nullopt);
}

absl::Status Supervisor::ShowPast(const PastStream& past, const BacktestProgress& progress,
                                  const std::function<absl::Status(Samples)>& sink,
                                  v1::WatchBacktestResponse::Final& final) {
  std::vector<int64_t> known;
  v1::WatchBacktestResponse::Progress report;
  report.set_num_samples_total(past.dataset.num_samples());
  return downstream_->ListSamples(past.listing, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* column,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto times = column->Values<int64_t>();
    if (times.empty()) return absl::OkStatus();
    known.assign(times.begin(), times.end());
    for (int64_t& time : known) time += past.label_delay.micros;
    RETURN_IF_ERROR(sink({known, chunk.keys()}));
    if (final.num_samples() == 0) final.set_first_time(known.front());
    final.set_last_time(known.back());
    final.set_num_samples(final.num_samples() + chunk.num_rows());
    if (final.num_samples() - report.num_samples() < kProgressEvery) return absl::OkStatus();
    report.set_num_samples(final.num_samples());
    return progress(report);
  });
}

}  // namespace tidemill::supervisor
