#include "cli/run_directory/testing/example_run.h"

#include <cstdlib>

namespace tidemill::cli::testing {
namespace {

namespace v1 = supervisor::v1;

constexpr int64_t kDay = 86'400'000'000;
constexpr int64_t kFirst = 20'000 * kDay;  // 2024-10-04.
constexpr int64_t kStarted = 1'800'000'000;
constexpr char kResolved[] =
    "version: 1\nname: example\ndatasets: {days: null}\n"
    "preprocess: {dataset: days, graph: [stack: {columns: all, into: input}]}\n"
    "model: {type: logistic, outputs: 2}\ntrigger: {type: amount, samples: 100}\n";

void SetWindow(int window, evaluator::v1::Evaluation& value) {
  value.mutable_from()->set_event_time(kFirst + (window - 1) * kDay);
  value.mutable_to()->set_event_time(kFirst + window * kDay);
  value.set_dataset_name("days");
  value.set_measure("accuracy");
  value.set_num_samples(100);
}

void AddTrigger(int number, v1::GetRunResponse& run) {
  v1::Trigger& trigger = *run.add_triggers();
  trigger.set_number(number);
  trigger.mutable_at()->set_event_time(kFirst + number * kDay);
  trigger.set_num_samples(80);
  trigger.set_num_candidates(100);
  trigger.set_model_id(1000 + number);
  rpc::v1::TrainingResult& result = *trigger.mutable_result();
  result.set_device("cpu");
  trigger.set_training_set_digest("set");
  trigger.mutable_fired_at()->set_seconds(kStarted + number);
  trigger.mutable_stored_at()->set_seconds(kStarted + number + 1);
  (*trigger.mutable_stage_seconds())["train"] = 0.5;
  for (const double loss : {0.9, 0.5, 0.4}) {
    auto& point = *result.add_loss_curve();
    point.set_num_samples(80 * result.loss_curve_size());
    point.set_loss(loss);
    result.set_loss(loss);
  }
  v1::Decision& decision = *run.add_decisions();
  decision.set_number(number);
  *decision.mutable_at() = trigger.at();
  decision.set_fired(true);
  decision.set_trigger(number);
  decision.set_num_samples(100);
  decision.set_num_new(100);
  (*decision.mutable_verdict()->mutable_observed())["samples"] = 100;
}

}  // namespace

RunRecord ExampleRun(const std::string& pipeline, int num_windows) {
  RunRecord record;
  v1::GetRunResponse& run = record.run;
  run.mutable_run()->set_run_id(7);
  run.mutable_run()->set_pipeline_name(pipeline);
  run.mutable_run()->set_state(v1::RUN_STATE_SUCCEEDED);
  run.mutable_run()->mutable_started_at()->set_seconds(kStarted);
  run.mutable_run()->mutable_finished_at()->set_seconds(kStarted + num_windows + 1);
  run.set_pipeline_text("name: " + pipeline + "\n");
  run.set_pipeline_resolved(kResolved);
  v1::RecordedEvent& event = *run.add_events();
  event.set_sequence(1);
  event.mutable_at()->set_seconds(kStarted);
  auto& synced = *event.mutable_event()->mutable_dataset_synced();
  synced.set_name("days");
  synced.set_num_samples(100 * num_windows);
  synced.mutable_from()->set_event_time(kFirst);
  synced.mutable_to()->set_event_time(kFirst + num_windows * kDay);
  for (int number = 1; number < num_windows; ++number) AddTrigger(number, run);
  for (int model = 1; model < num_windows; ++model) {
    for (int window = 1; window <= num_windows; ++window) {
      evaluator::v1::Evaluation& value = *run.add_results();
      SetWindow(window, value);
      value.set_trigger(model);
      value.set_model_id(1000 + model);
      value.set_value(1 - std::abs(window - model) / (2.0 * num_windows));
      value.set_active(window == model + 1);
      value.set_trained(window == model);
    }
  }
  return record;
}

void ClearSeries(v1::GetRunResponse& run) {
  for (auto& row : *run.mutable_results()) {
    row.clear_active();
    row.clear_trained();
  }
}

}  // namespace tidemill::cli::testing
