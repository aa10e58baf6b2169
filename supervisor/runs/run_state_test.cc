#include "supervisor/runs/run_state.h"

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

#include "supervisor/runs/event_text.h"
#include "supervisor/runs/old_events.h"

namespace tidemill::supervisor {
namespace {

const RunPlan kPlan{.datasets = {"train", "test"}, .fit_each_trigger = false, .num_evaluations = 2};

v1::RunEvent Started(int64_t max_triggers = 0) {
  v1::RunEvent event;
  event.mutable_run_started()->set_max_triggers(max_triggers);
  return event;
}
v1::RunEvent Synced(const std::string& dataset) {
  v1::RunEvent event;
  event.mutable_dataset_synced()->set_name(dataset);
  return event;
}
v1::RunEvent Fired(int64_t trigger, int64_t at) {
  v1::RunEvent event;
  event.mutable_trigger_fired()->set_trigger(trigger);
  event.mutable_trigger_fired()->mutable_at()->set_event_time(at);
  return event;
}
v1::RunEvent Sealed(int64_t trigger, int64_t num_samples) {
  v1::RunEvent event;
  event.mutable_training_set_sealed()->set_trigger(trigger);
  event.mutable_training_set_sealed()->set_num_samples(num_samples);
  event.mutable_training_set_sealed()->set_seconds(0.5);
  return event;
}
v1::RunEvent Fitted(int64_t trigger) {
  v1::RunEvent event;
  event.mutable_graph_fitted()->set_trigger(trigger);
  return event;
}
v1::RunEvent Trained(int64_t trigger) {
  v1::RunEvent event;
  event.mutable_model_trained()->set_trigger(trigger);
  return event;
}
v1::RunEvent Stored(int64_t trigger, int64_t model) {
  v1::RunEvent event;
  event.mutable_model_stored()->set_trigger(trigger);
  event.mutable_model_stored()->set_model_id(model);
  return event;
}
v1::RunEvent Evaluated(int32_t evaluation) {
  v1::RunEvent event;
  event.mutable_evaluation_finished()->set_evaluation(evaluation);
  return event;
}
template <typename Message>
v1::RunEvent Bare(Message* (v1::RunEvent::*make)()) {
  v1::RunEvent event;
  (event.*make)();
  return event;
}

// Every event of a run of two triggers, with the step that each one finishes.
TEST(NextStep, LeadsThroughAWholeRun) {
  const std::pair<Step, v1::RunEvent> script[] = {
      {{.stage = Stage::kSync, .dataset = "train"}, Synced("train")},
      {{.stage = Stage::kSync, .dataset = "test"}, Synced("test")},
      {{.stage = Stage::kDecide}, Fired(1, 100)},
      {{.stage = Stage::kSelect, .trigger = 1}, Sealed(1, 10)},
      {{.stage = Stage::kFit, .trigger = 1}, Fitted(1)},
      {{.stage = Stage::kTrain, .trigger = 1}, Trained(1)},
      {{.stage = Stage::kStore, .trigger = 1}, Stored(1, 71)},
      {{.stage = Stage::kDecide}, Fired(2, 200)},
      {{.stage = Stage::kSelect, .trigger = 2}, Sealed(2, 20)},
      {{.stage = Stage::kTrain, .trigger = 2}, Trained(2)},
      {{.stage = Stage::kStore, .trigger = 2}, Stored(2, 72)},
      {{.stage = Stage::kDecide}, Bare(&v1::RunEvent::mutable_stream_ended)},
      {{.stage = Stage::kEvaluate, .evaluation = 0}, Evaluated(0)},
      {{.stage = Stage::kEvaluate, .evaluation = 1}, Evaluated(1)},
      {{.stage = Stage::kFinish}, Bare(&v1::RunEvent::mutable_run_succeeded)}};
  RunState state;
  EXPECT_EQ(NextStep(state, kPlan), Step{});
  state.Apply(Started());
  for (const auto& [step, event] : script) {
    EXPECT_EQ(NextStep(state, kPlan), step) << TextOf(event);
    state.Apply(event);
  }
  EXPECT_EQ(NextStep(state, kPlan), Step{});
  EXPECT_EQ(state.state(), v1::RUN_STATE_SUCCEEDED);
  EXPECT_EQ(state.num_samples(), 30);
  EXPECT_EQ(state.triggers()[1].trigger.model_id(), 72);
  EXPECT_EQ(state.triggers()[1].from.event_time(), 100);
  EXPECT_EQ(state.triggers()[0].trigger.stage_seconds().at("select"), 0.5);
}

v1::RunEvent EvaluatedInRound(int32_t round, int32_t evaluation) {
  v1::RunEvent event = Evaluated(evaluation);
  event.mutable_evaluation_finished()->set_round(round);
  return event;
}

// A live run measures after each model and when it ends, and continues after that.
TEST(NextStep, LeadsALiveRunThroughAStopAndOn) {
  RunPlan plan = kPlan;
  plan.num_evaluations = 1;
  plan.kept_models = 1;
  v1::RunEvent started = Started();
  started.mutable_run_started()->set_live(true);
  v1::RunEvent retired;
  retired.mutable_models_retired()->set_first_model(2);
  retired.mutable_models_retired()->set_first_training_set(1);
  const std::pair<Step, v1::RunEvent> script[] = {
      {{.stage = Stage::kSync, .dataset = "train"}, Synced("train")},
      {{.stage = Stage::kSync, .dataset = "test"}, Synced("test")},
      {{.stage = Stage::kDecide}, Fired(1, 100)},
      {{.stage = Stage::kSelect, .trigger = 1}, Sealed(1, 10)},
      {{.stage = Stage::kFit, .trigger = 1}, Fitted(1)},
      {{.stage = Stage::kTrain, .trigger = 1}, Trained(1)},
      {{.stage = Stage::kStore, .trigger = 1}, Stored(1, 71)},
      {{.stage = Stage::kSync, .dataset = "test"}, Synced("test")},
      {{.stage = Stage::kEvaluate, .evaluation = 0}, EvaluatedInRound(1, 0)},
      {{.stage = Stage::kDecide}, Fired(2, 200)},
      {{.stage = Stage::kSelect, .trigger = 2}, Sealed(2, 20)},
      {{.stage = Stage::kTrain, .trigger = 2}, Bare(&v1::RunEvent::mutable_stop_requested)},
      // What is left of the second trigger waits.
      {{.stage = Stage::kDecide}, Bare(&v1::RunEvent::mutable_stream_ended)},
      {{.stage = Stage::kSync, .dataset = "test"}, Synced("test")},
      {{.stage = Stage::kEvaluate, .evaluation = 0}, EvaluatedInRound(2, 0)},
      {{.stage = Stage::kFinish}, Bare(&v1::RunEvent::mutable_run_stopped)},
      {{}, Bare(&v1::RunEvent::mutable_run_resumed)},
      {{.stage = Stage::kTrain, .trigger = 2}, Trained(2)},
      {{.stage = Stage::kStore, .trigger = 2}, Stored(2, 72)},
      {{.stage = Stage::kSync, .dataset = "test"}, Synced("test")},
      {{.stage = Stage::kEvaluate, .evaluation = 0}, EvaluatedInRound(4, 0)},
      {{.stage = Stage::kRetire}, retired},
      {{.stage = Stage::kDecide}, Fired(3, 300)}};
  RunState state;
  state.Apply(started);
  for (const auto& [step, event] : script) {
    EXPECT_EQ(NextStep(state, plan), step) << TextOf(event);
    state.Apply(event);
  }
  EXPECT_TRUE(state.triggers()[0].trigger.removed());
  EXPECT_FALSE(state.triggers()[1].trigger.removed());
}

TEST(NextStep, FitsAtEachTriggerWhenThePlanSaysSo) {
  RunPlan plan = kPlan;
  plan.fit_each_trigger = true;
  RunState state;
  for (const auto& event : {Started(), Synced("train"), Synced("test"), Fired(1, 1), Sealed(1, 1),
                            Fitted(1), Trained(1), Stored(1, 1), Fired(2, 2), Sealed(2, 1)}) {
    state.Apply(event);
  }
  EXPECT_EQ(NextStep(state, plan), (Step{.stage = Stage::kFit, .trigger = 2}));
  EXPECT_EQ(NextStep(state, kPlan), (Step{.stage = Stage::kTrain, .trigger = 2}));
  EXPECT_EQ(FittedTrigger(state, plan, 2), 2);
  EXPECT_EQ(FittedTrigger(state, kPlan, 2), 1);
}

v1::RunEvent Skipped(int64_t trigger, const std::string& stage) {
  v1::RunEvent event;
  event.mutable_trigger_skipped()->set_trigger(trigger);
  event.mutable_trigger_skipped()->set_stage(stage);
  event.mutable_trigger_skipped()->set_reason(stage + ": it went wrong");
  return event;
}

// The state after the events, of a run that has synced its datasets.
RunState After(const std::vector<v1::RunEvent>& events) {
  RunState state;
  for (const auto& event : {Started(), Synced("train"), Synced("test")}) state.Apply(event);
  for (const v1::RunEvent& event : events) state.Apply(event);
  return state;
}

TEST(NextStep, LeavesASkippedTriggerForTheNextDecision) {
  const RunState empty = After({Fired(1, 1), Skipped(1, "select")});
  EXPECT_EQ(NextStep(empty, kPlan), (Step{.stage = Stage::kDecide}));
  const RunState failed = After({Fired(1, 1), Sealed(1, 1), Fitted(1), Skipped(1, "train")});
  EXPECT_EQ(NextStep(failed, kPlan), (Step{.stage = Stage::kDecide}));
  EXPECT_EQ(failed.triggers()[0].trigger.skip_reason(), "train: it went wrong");
}

TEST(NextStep, FitsOnceAtTheFirstTriggerThatHasAModel) {
  std::vector<v1::RunEvent> events = {Fired(1, 1),         Sealed(1, 1), Fitted(1),
                                      Skipped(1, "train"), Fired(2, 2),  Sealed(2, 1)};
  EXPECT_EQ(NextStep(After(events), kPlan), (Step{.stage = Stage::kFit, .trigger = 2}));
  for (const auto& event : {Fitted(2), Trained(2), Stored(2, 72), Fired(3, 3), Sealed(3, 1)}) {
    events.push_back(event);
  }
  EXPECT_EQ(NextStep(After(events), kPlan), (Step{.stage = Stage::kTrain, .trigger = 3}));
  EXPECT_EQ(FittedTrigger(After(events), kPlan, 3), 2);
}

TEST(NextStep, TriesARunWithoutAModelNoMoreThanThreeTimesUnlessItWasNothingThatWasSelected) {
  std::vector<v1::RunEvent> failures, empties;
  for (int64_t trigger = 1; trigger <= kMaxFailedTrainings; ++trigger) {
    EXPECT_EQ(NextStep(After(failures), kPlan).stage, Stage::kDecide);
    failures.push_back(Fired(trigger, trigger));
    failures.push_back(Skipped(trigger, "train"));
    empties.push_back(Fired(trigger, trigger));
    empties.push_back(Skipped(trigger, "select"));
  }
  EXPECT_EQ(NextStep(After(failures), kPlan).stage, Stage::kFinish);
  EXPECT_EQ(NextStep(After(empties), kPlan).stage, Stage::kDecide);
  empties.push_back(Bare(&v1::RunEvent::mutable_stream_ended));
  EXPECT_EQ(NextStep(After(empties), kPlan).stage, Stage::kFinish);
}

TEST(NextStep, TriesAllTriggersOfARunWithoutAModelAgainWhenItIsResumed) {
  v1::RunEvent failed;
  failed.mutable_run_failed()->set_error("no training succeeded");
  std::vector<v1::RunEvent> events = {Fired(1, 1),
                                      Sealed(1, 1),
                                      Skipped(1, "fit"),
                                      Fired(2, 2),
                                      Skipped(2, "select"),
                                      failed,
                                      Bare(&v1::RunEvent::mutable_run_resumed)};
  EXPECT_EQ(NextStep(After(events), kPlan), (Step{.stage = Stage::kFit, .trigger = 1}));
  for (const auto& event : {Fitted(1), Trained(1), Stored(1, 71)}) events.push_back(event);
  EXPECT_EQ(NextStep(After(events), kPlan), (Step{.stage = Stage::kSelect, .trigger = 2}));
}

TEST(NextStep, JudgesChallengersAfterTheEvaluationsOfARound) {
  RunPlan plan = kPlan;
  plan.num_evaluations = 1;
  plan.judges = true;
  std::vector<v1::RunEvent> events = {Started(),    Synced("train"), Synced("test"), Fired(1, 100),
                                      Sealed(1, 9), Fitted(1),       Trained(1),     Stored(1, 71)};
  v1::RunEvent ended;
  ended.mutable_stream_ended();
  events.push_back(ended);
  events.push_back(Evaluated(0));
  EXPECT_EQ(NextStep(After(events), plan), Step{.stage = Stage::kJudge});
  v1::RunEvent judged;
  v1::JudgedChallenger& one = *judged.mutable_challengers_judged()->add_judged();
  one.set_trigger(1);
  one.set_is_open(true);
  events.push_back(judged);
  EXPECT_EQ(NextStep(After(events), plan), Step{.stage = Stage::kFinish});
  EXPECT_FALSE(After(events).IsJudged(1));
  one.set_is_open(false);
  events.back() = judged;
  EXPECT_TRUE(After(events).IsJudged(1));
}

TEST(Retention, ModelsThatAreKeptAllTheSameAreNotRemoved) {
  std::vector<v1::RunEvent> events = {Started()};
  for (const int64_t trigger : {1, 2, 3}) {
    events.push_back(Fired(trigger, trigger));
    events.push_back(Stored(trigger, 70 + trigger));
  }
  v1::RunEvent retired;
  retired.mutable_models_retired()->set_first_model(3);
  retired.mutable_models_retired()->add_kept_models(1);
  events.push_back(retired);
  const RunState state = After(events);
  EXPECT_FALSE(state.triggers()[0].trigger.removed());
  EXPECT_TRUE(state.triggers()[1].trigger.removed());
}

TEST(Retention, CountsModelsAndNotTheTriggersThatHaveNone) {
  RunPlan plan = kPlan;
  plan.kept_models = 2;
  std::vector<v1::RunEvent> events;
  for (const int64_t trigger : {1, 2, 3, 4}) {
    events.push_back(Fired(trigger, trigger));
    events.push_back(trigger == 3 ? Skipped(3, "train") : Stored(trigger, 70 + trigger));
  }
  const auto retired = ToRetire(After(events), plan);
  ASSERT_TRUE(retired);
  EXPECT_EQ(retired->first_model(), 2);
}

TEST(RunState, ContinuesWhereItStoodAfterAFailureIsResumed) {
  RunState state;
  for (const auto& event : {Started(), Synced("train"), Synced("test"), Fired(1, 1)}) {
    state.Apply(event);
  }
  const Step before = NextStep(state, kPlan);
  v1::RunEvent failed;
  failed.mutable_run_failed()->set_error("the disk is full");
  state.Apply(failed);
  EXPECT_EQ(state.error(), "the disk is full");
  EXPECT_EQ(NextStep(state, kPlan), Step{});
  state.Apply(Bare(&v1::RunEvent::mutable_run_resumed));
  EXPECT_EQ(state.error(), "");
  EXPECT_EQ(NextStep(state, kPlan), before);
}

TEST(RunEvent, HasANameAndATextOfEveryKind) {
  const auto* kind = v1::RunEvent::descriptor()->FindOneofByName("kind");
  for (int i = 0; i < kind->field_count(); ++i) {
    v1::RunEvent event;
    event.GetReflection()->MutableMessage(&event, kind->field(i));
    EXPECT_EQ(TypeOf(event), kind->field(i)->name());
    EXPECT_NE(TextOf(event), "") << TypeOf(event);
  }
}

v1::RunEvent TrainedWith(const rpc::v1::TrainingResult& result) {
  v1::RunEvent event = Trained(1);
  event.mutable_model_trained()->set_seconds(2.5);
  *event.mutable_model_trained()->mutable_result() = result;
  return event;
}

// As version 0.7 wrote it.
constexpr char kOldTrained[] =
    R"({"model_trained":{"trigger":"1","num_skipped":"3","device":"cpu","loss":0.25,"seconds":2.5,)"
    R"("loss_curve":[{"num_samples":"10","loss":0.5},{"num_samples":"20","loss":0.25}],)"
    R"("downsampling":{"method":"margin","num_samples":"40"},"verdict":"limit: op resize"}})";

TEST(OldEvents, ATrainingOfAnEarlierVersionShowsTheSameResult) {
  v1::RunEvent old;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(kOldTrained, &old).ok());
  UpgradeEvent(old);
  rpc::v1::TrainingResult result;
  result.set_num_skipped(3);
  result.set_device("cpu");
  result.set_loss(0.25);
  result.set_verdict("limit: op resize");
  for (const double loss : {0.5, 0.25}) {
    rpc::v1::LossPoint& point = *result.add_loss_curve();
    point.set_num_samples(10 * result.loss_curve_size());
    point.set_loss(loss);
  }
  result.mutable_downsampling()->set_method("margin");
  result.mutable_downsampling()->set_num_samples(40);
  v1::RunEvent present = TrainedWith(result);
  EXPECT_EQ(old.DebugString(), present.DebugString());
  UpgradeEvent(present);
  EXPECT_EQ(old.DebugString(), present.DebugString()) << "an event of this version does not change";
  EXPECT_EQ(TextOf(old),
            "trigger 1: trained in 2.5 s on cpu, loss 0.2500, 3 samples could not be used; limit: "
            "op resize");
}

TEST(RunState, ATriggerHasTheResultOfItsTrainingLessTheCurveAndItsOwnDigests) {
  rpc::v1::TrainingResult result;
  result.set_loss(0.25);
  const std::string expected = result.DebugString();
  result.set_weights_digest("weights");
  result.set_training_set_digest("set");
  result.add_loss_curve()->set_loss(0.5);
  RunState state;
  for (const v1::RunEvent& event : {Fired(1, 100), Sealed(1, 10), TrainedWith(result)}) {
    state.Apply(event);
  }
  EXPECT_EQ(state.triggers()[0].trigger.result().DebugString(), expected);
}

}  // namespace
}  // namespace tidemill::supervisor
