#include "supervisor/conductor/challenger_judge.h"

#include <utility>
#include <variant>

#include "base/failpoints.h"
#include "base/logs/log.h"
#include "supervisor/conductor/common_samples.h"
#include "supervisor/conductor/model_measurer.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

// Whether the failure says something of the models, and not of what is needed to ask them.
bool IsOfModels(const absl::Status& status) {
  return !status.ok() && !absl::IsUnavailable(status) && !absl::IsCancelled(status) &&
         !absl::IsDeadlineExceeded(status);
}

bool IsOpen(const RunState& state) { return state.live() && !state.stream_ended(); }

}  // namespace

absl::Status ChallengerJudge::Judge() {
  v1::RunEvent event;
  v1::ChallengersJudged& judged = *event.mutable_challengers_judged();
  judged.set_round(record_.state().round());
  ASSIGN_OR_RETURN(Challenge challenge, record_.FindChallenge());
  int64_t done = 0;
  for (const v1::Trigger& trigger : challenge.challengers) {
    v1::Progress progress =
        ProgressOf("judge", done++, std::ssize(challenge.challengers), "models");
    record_.Report(std::move(progress));
    ASSIGN_OR_RETURN(v1::JudgedChallenger one, JudgeOne(trigger, challenge.champion));
    if (one.is_better()) {
      challenge.champion = Champion{.model_id = trigger.model_id(),
                                    .run = record_.run(),
                                    .trigger = trigger.number(),
                                    .cut = trigger.at()};
    }
    *judged.add_judged() = std::move(one);
  }
  FAILPOINT("supervisor.before_judged");
  RETURN_IF_ERROR(record_.Record(event));
  FAILPOINT("supervisor.after_judged");
  return absl::OkStatus();
}

absl::StatusOr<v1::JudgedChallenger> ChallengerJudge::JudgeOne(
    const v1::Trigger& trigger, const std::optional<Champion>& champion) {
  v1::JudgedChallenger judged;
  judged.set_trigger(trigger.number());
  judged.set_model_id(trigger.model_id());
  const std::string name = fmt::format("model {} of trigger {} of run {}", trigger.model_id(),
                                       trigger.number(), record_.run().value);
  if (!champion) {
    judged.set_is_better(true);
    judged.set_text(name + " is the first one: no model was in use");
    return judged;
  }
  judged.set_champion_id(champion->model_id);
  if (champion->run == record_.run() && champion->trigger > trigger.number()) {
    judged.set_text(
        fmt::format("{} is older than model {}, which is in use", name, champion->model_id));
    return judged;
  }
  absl::StatusOr<ChallengeAnswer> answer = Compare(trigger, *champion);
  if (IsOfModels(answer.status())) {
    log::Warn("two models cannot be compared", {{"run", std::to_string(record_.run().value)},
                                                {"error", answer.status().ToString()}});
    judged.set_text(fmt::format("{} cannot be compared with model {}, which stays: {}", name,
                                champion->model_id, std::string(answer.status().message())));
    return judged;
  }
  RETURN_IF_ERROR(answer.status());
  judged.set_is_better(answer->is_better);
  judged.set_is_open(answer->has_too_few && IsOpen(record_.state()));
  judged.set_text(
      fmt::format("{} {} (model {} was in use)", name, answer->why, champion->model_id));
  if (answer->comparison) *judged.mutable_comparison() = *std::move(answer->comparison);
  return judged;
}

absl::StatusOr<ChallengeAnswer> ChallengerJudge::Compare(const v1::Trigger& trigger,
                                                         const Champion& champion) {
  ASSIGN_OR_RETURN(const std::vector<MetSpan> spans, SpansOf(trigger, champion));
  rpc::v1::Snapshot snapshot = Dataset().snapshot();
  if (record_.spec().live && Dataset().name() == record_.TrainingData().name()) {
    ASSIGN_OR_RETURN(snapshot, SnapshotToMeasure(record_));
  }
  ComparedSamples samples;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(samples, ListSamplesIn(downstream_, snapshot, spans));
    return absl::OkStatus();
  }));
  const evaluator::EvaluationSpec& evaluation = record_.spec().evaluation[Measured().evaluation];
  const ChallengeRule rule{.measure = *Measured().measure,
                           .margin = record_.spec().promote.Margin(),
                           .replicates = evaluation.bootstrap.replicates,
                           .seed = evaluation.bootstrap.seed};
  EvidenceTable of_champion, of_challenger;
  if (!samples.keys.empty()) {
    ASSIGN_OR_RETURN(of_champion, AnswersOf(champion.model_id, samples));
    ASSIGN_OR_RETURN(of_challenger, AnswersOf(trigger.model_id(), samples));
  }
  return JudgeChallenge(rule, samples, of_champion, of_challenger);
}

absl::StatusOr<std::vector<MetSpan>> ChallengerJudge::SpansOf(const v1::Trigger& trigger,
                                                              const Champion& champion) {
  const PipelineSpec& spec = record_.spec();
  const evaluator::EvaluationSpec& evaluation = spec.evaluation[Measured().evaluation];
  ASSIGN_OR_RETURN(const v1::DatasetSynced dataset,
                   MeasuredPart(record_.state(), spec, evaluation.dataset));
  ASSIGN_OR_RETURN(std::vector<Window> windows,
                   MakeWindows(evaluation.windows, dataset, StoredTriggers(record_.state())));
  if (IsOpen(record_.state())) {
    // It is not closed: more samples may come.
    std::erase_if(windows,
                  [&](const Window& window) { return Place(window.to) == Place(dataset.to()); });
  }
  // No model was trained on a dataset that is for evaluations alone.
  const bool is_whole = std::holds_alternative<evaluator::Whole>(evaluation.windows);
  if (is_whole) return SpansAfter(windows, dataset.from(), dataset.from());
  return SpansAfter(windows, champion.cut, trigger.at());
}

absl::StatusOr<EvidenceTable> ChallengerJudge::AnswersOf(int64_t model,
                                                         const ComparedSamples& samples) {
  GivenKeys keys(samples.keys);
  EvidenceTable table;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto evidence,
                     StoredEvidence::Create(
                         downstream_, keys, {Dataset().snapshot().dataset_id()}, Dataset().spec(),
                         ActiveModel{.model_id = model,
                                     .command = record_.CommandFor("judge", model),
                                     .workers = record_.spec().preprocess.WorkersText()}));
    ASSIGN_OR_RETURN(table, evidence->Read({.kind = EvidenceKind::kOutcomes}));
    return absl::OkStatus();
  }));
  return table;
}

const v1::DatasetSynced& ChallengerJudge::Dataset() const {
  return record_.state().datasets().at(record_.spec().evaluation[Measured().evaluation].dataset);
}

const PromotionMeasure& ChallengerJudge::Measured() const {
  // The check of the pipeline has found it.
  if (!measured_) measured_ = PromotionMeasureOf(record_.spec());
  return *measured_;
}

}  // namespace tidemill::supervisor
