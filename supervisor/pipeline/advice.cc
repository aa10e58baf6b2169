#include "supervisor/pipeline/advice.h"

#include <algorithm>
#include <variant>

#include "fmt/format.h"

#include "supervisor/statistics/false_alarms.h"

namespace tidemill::supervisor {
namespace {

// Half of the steps from one time to the next that differs are shorter; std::nullopt for too few.
std::optional<Duration> TypicalStep(std::vector<Timestamp> times) {
  std::ranges::sort(times);
  std::vector<int64_t> steps;
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i] != times[i - 1]) steps.push_back(times[i].micros - times[i - 1].micros);
  }
  if (steps.size() < 3) return std::nullopt;
  std::ranges::nth_element(steps, steps.begin() + static_cast<int64_t>(steps.size() / 2));
  return Duration{steps[steps.size() / 2]};
}

Remark Advice(std::string path, std::string message, std::string hint) {
  return {.path = std::move(path),
          .message = std::move(message),
          .hint = std::move(hint),
          .is_error = false};
}

void LookAtBatch(const PipelineSpec& spec, const DataFacts& facts, std::vector<Remark>& remarks) {
  const int64_t num_samples = facts.num_samples.value_or(0);
  if (num_samples == 0 || spec.live || spec.training.batch_size <= num_samples) return;
  remarks.push_back(
      Advice("training.batch_size",
             fmt::format("a batch of {} is larger than the dataset, which has {} records",
                         spec.training.batch_size, num_samples),
             "each epoch is one step; write a smaller batch_size"));
}

void LookAtZone(const std::string& at, const TriggerSpec& trigger, std::vector<Remark>& remarks) {
  if (const auto* ensemble = std::get_if<EnsembleTrigger>(&trigger)) {
    for (size_t i = 0; i < ensemble->of.size(); ++i) {
      LookAtZone(fmt::format("{}.of[{}]", at, i), ensemble->of[i], remarks);
    }
  }
  const auto* time = std::get_if<TimeTrigger>(&trigger);
  if (time == nullptr || time->calendar || time->time_zone == "UTC") return;
  remarks.push_back({.path = at + ".time_zone",
                     .message = "means nothing for periods of a length",
                     .hint = "leave it out, or write calendar: day, week, month or year",
                     .is_error = true});
}

void LookAtPeriod(const PipelineSpec& spec, const DataFacts& facts, std::vector<Remark>& remarks) {
  const auto* time = std::get_if<TimeTrigger>(&spec.trigger);
  const std::optional<Duration> step = TypicalStep(facts.times);
  if (time == nullptr || time->calendar || !step || time->Length() >= *step) return;
  remarks.push_back(Advice(
      "trigger.every",
      fmt::format("a period of {} is shorter than the {} from one sample to the next: each sample "
                  "starts a training",
                  *time->every, FormatDuration(*step)),
      fmt::format("write a longer one, such as {}", FormatDuration({step->micros * 100}))));
}

// Where as many alarms as evaluations are accepted nothing is asked of the score.
void LookAtAlarms(const std::string& at, const TriggerSpec& trigger, std::vector<Remark>& remarks) {
  if (const auto* ensemble = std::get_if<EnsembleTrigger>(&trigger)) {
    for (size_t i = 0; i < ensemble->of.size(); ++i) {
      LookAtAlarms(fmt::format("{}.of[{}]", at, i), ensemble->of[i], remarks);
    }
  }
  const auto* drift = std::get_if<DriftTrigger>(&trigger);
  if (drift == nullptr || !drift->evaluate.every) return;
  const auto* automatic = std::get_if<AutoCriterion>(&drift->criterion);
  const double evaluations = statistics::EvaluationsPerMonth(*drift->evaluate.every);
  if (automatic == nullptr || evaluations > automatic->alarms_per_month) return;
  remarks.push_back(Advice(
      at + ".criterion",
      fmt::format("{:.3g} false alarms a month are accepted of {:.3g} evaluations a month: "
                  "each evaluation fires, whatever the score",
                  automatic->alarms_per_month, evaluations),
      fmt::format("write alarms_per_month: {:.2g}, or evaluate more often", evaluations / 10)));
}

// A series may well predict a column from its own past.
void LookAtTarget(const PipelineSpec& spec, std::vector<Remark>& remarks) {
  const auto dataset = spec.datasets.find(spec.preprocess.dataset);
  if (dataset == spec.datasets.end() || !dataset->second || dataset->second->series) return;
  const auto& label = dataset->second->label;
  if (!label.column) return;
  const transform::GraphSpec& graph = spec.preprocess.graph;
  for (size_t i = 0; i < graph.size(); ++i) {
    const auto* op = std::get_if<transform::ParseCsvSpec>(&graph[i].value);
    if (op == nullptr) continue;
    const auto found = std::ranges::find(op->columns, *label.column);
    if (found == op->columns.end()) continue;
    remarks.push_back(Advice(
        fmt::format("preprocess.graph[{}].parse_csv.columns[{}]", i, found - op->columns.begin()),
        fmt::format(
            "the label '{}' is read as a feature, too: the model sees what it is to predict",
            *label.column),
        "leave it out of `columns`"));
  }
}

}  // namespace

std::vector<Remark> Advise(const PipelineSpec& spec, const DataFacts& facts) {
  std::vector<Remark> remarks;
  LookAtBatch(spec, facts, remarks);
  LookAtPeriod(spec, facts, remarks);
  LookAtZone("trigger", spec.trigger, remarks);
  LookAtAlarms("trigger", spec.trigger, remarks);
  LookAtTarget(spec, remarks);
  if (spec.evaluation.empty()) {
    remarks.push_back(Advice("", "nothing is evaluated: the run will not say how good a model is",
                             "add `evaluation` with a dataset, windows and measures"));
  }
  return remarks;
}

}  // namespace tidemill::supervisor
