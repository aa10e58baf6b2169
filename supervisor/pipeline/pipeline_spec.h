// A pipeline as its user writes it: what to train on what, when, and how to judge the result. The
// folder pipelines/ has complete ones. `tidemill explain` describes each key.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "evaluator/client/evaluation_spec.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"
#include "preprocess/client/workers_spec.h"
#include "selector/client/selection_spec.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor/pipeline/stream_spec.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

// How many of a run's models, and of their training sets, are kept. All are kept when nothing is
// set.
struct RetentionSpec {
  std::optional<int64_t> models;
  std::optional<int64_t> training_sets;

  void Fields(auto&& field) {
    field("models", models,
          "Keep the weights and the trainer's files of this many of the newest models. Only the "
          "records of the other models stay.",
          {.min = 1, .example = "10"});
    field("training_sets", training_sets, "Keep this many of the newest training sets.",
          {.min = 1, .example = "10"});
  }
};

enum class PromoteWhen { kAlways, kBetter };

// Which newly trained models answer for the pipeline.
struct PromoteSpec {
  static constexpr std::string_view kDoc =
      "When a newly trained model takes the place of the one in use, which `predict` and `models "
      "export` use.";
  PromoteWhen when = PromoteWhen::kAlways;
  // `interval` or a number.
  config::OpenValue by = {.scalars = {{.text = "interval"}}};
  std::string on;

  void Fields(auto&& field) {
    field(
        "when", when,
        "always: each model does. better: once the evaluation is done, a model that is better than "
        "the one in use on the windows that neither has trained on.");
    field(
        "by", by,
        "With `when: better`: by how much it must be better. interval: beyond the 95 % interval of "
        "the difference. A number: by more than this.",
        {.example = "0.01"});
    field(
        "on", on,
        "With `when: better`: the measure, by its name in results. By default the first one of the "
        "first evaluation.",
        {.example = "accuracy"});
  }

  void Check(config::Problems& problems) const;

  // The number of `by`; std::nullopt for the interval.
  std::optional<double> Margin() const;
};

struct PipelineSpec {
  static constexpr std::string_view kDoc =
      "Trains a model again and again on a dataset that keeps changing, and measures each model.";
  int64_t version = 1;
  std::string name;
  std::string description;
  // The datasets by name. A name without a spec refers to a dataset that is registered already.
  std::map<std::string, std::optional<storage::DatasetSpec>> datasets;
  ReplaySpec replay;
  std::optional<LiveSpec> live;
  preprocess::PreprocessSpec preprocess;
  models::ModelSpec model;
  TriggerSpec trigger;
  selector::SelectionSpec selection;
  models::TrainingSpec training;
  std::vector<evaluator::EvaluationSpec> evaluation;
  RetentionSpec retention;
  PromoteSpec promote;
  int64_t priority = 0;
  double share = 1;

  void Fields(auto&& field) {
    field("version", version, "Version of this language.",
          {.min = 1, .max = 1, .required = true, .example = "1"});
    field("name", name, "Name of the pipeline: letters, digits, `_` and `-`.",
          {.required = true, .example = "elec2"});
    field("description", description, "What the pipeline is for.");
    field("datasets", datasets,
          "The datasets, by name. They are registered on submission. A name without a section "
          "means a dataset that is already registered.",
          {.required = true, .min_items = 1});
    field("replay", replay, "The part of the dataset that the run replays.");
    field("live", live,
          "Continue with the samples that arrive in the dataset. Without it, the run is a replay.");
    field("preprocess", preprocess, "How samples become tensors.", {.required = true});
    field("model", model, "The network to train.", {.required = true});
    field("trigger", trigger, "When to retrain.", {.required = true});
    field("selection", selection, "Which samples to train on.");
    field("training", training, "How to train.");
    field("evaluation", evaluation,
          "What to measure the models on. For a replay, this happens when it is over. For a live "
          "run, each window is measured when it ends, and everything when the run is stopped.");
    field("retention", retention,
          "What to keep of a run. For a live run, this applies while it runs; for a replay, once "
          "it is evaluated.");
    field("promote", promote, "When a newly trained model takes the place of the one in use.");
    field("priority", priority,
          "Jobs of a pipeline with a higher number get the slots of trainer servers and evaluators "
          "first.",
          {.min = -100, .max = 100});
    field("share", share,
          "Among pipelines of one priority that wait, each gets the time of slots in proportion to "
          "this number.",
          {.min = 0.01, .max = 100});
  }

  void Check(config::Problems& problems) const {
    if (live && replay.to) {
      problems.Add("replay.to", "would end a live run", "leave out `to`, or `live`");
    }
    CheckPromotion(problems);
    if (preprocess.workers && training.share == models::Share::kStrict) {
      problems.Add("training.share",
                   "strict cannot be used with workers, each of which prepares some of the batches",
                   "leave out `share`, or `preprocess.workers`");
    }
  }

 private:
  // `promote` fits the evaluations.
  void CheckPromotion(config::Problems& problems) const;
};

// What `promote: {when: better}` compares models by.
struct PromotionMeasure {
  size_t evaluation = 0;  // The index in the pipeline.
  const evaluator::Measure* measure = nullptr;
};

// Returns the measure that `promote.on` names, in the first evaluation that has it. std::nullopt
// when there is none.
std::optional<PromotionMeasure> PromotionMeasureOf(const PipelineSpec& spec);

// Returns the spec of a registered dataset; std::nullopt when it is unknown.
using FindDataset = std::function<std::optional<storage::DatasetSpec>(const std::string& name)>;

// Puts every time that names no zone on the clock of its dataset, `event_time.time_zone`: those of
// a dataset and of an evaluation on that of their own dataset, all others on that of the dataset
// that the pipeline trains on. The clock of an unknown dataset is UTC. Notes times that a clock
// does not show. `registered` may be nullptr.
void SetClocks(PipelineSpec& spec, const FindDataset& registered, config::Problems& problems);

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::PromoteWhen> {
  static constexpr std::pair<tidemill::supervisor::PromoteWhen, std::string_view> kNames[] = {
      {tidemill::supervisor::PromoteWhen::kAlways, "always"},
      {tidemill::supervisor::PromoteWhen::kBetter, "better"}};
};

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::supervisor::PipelineSpec);
