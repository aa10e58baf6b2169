// Decisions of runs, as they are kept and explained.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "supervisor/decisions/decision_record.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/testing/live_pipeline.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"
#include "supervisor/triggers/cost_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Decisions of a release that did not number the triggers get their numbers.
TEST(DecisionMigrations, NumberTheTriggersThatThereAre) {
  db::testing::TestDatabase test_database;
  const auto database = db::Database::Connect(test_database.connection_string());
  ASSERT_THAT(database, IsOk());
  ASSERT_THAT(db::Migrate(**database, "supervisor", Migrations().first(2)), IsOk());
  const auto execute = [&](const char* sql) {
    return (*database)->Transact([&](pqxx::work& work) {
      work.exec0(sql);
      return absl::OkStatus();
    });
  };
  ASSERT_THAT(execute(R"(
    INSERT INTO supervisor.pipelines (namespace, name, description, spec) VALUES ('', 'p', '', '');
    INSERT INTO supervisor.runs (pipeline_id, spec, state) VALUES (1, '', ''), (1, '', '');
    INSERT INTO supervisor.decisions
      (run_id, decision, event_time, sample_key, fired, num_samples, observed)
    SELECT run, n, n * 1000, 0, n % 2 = 0, 5, '{"samples": 5}'
    FROM generate_series(1, 2) AS run, generate_series(1, 6) AS n)"),
              IsOk());
  ASSERT_THAT(db::Migrate(**database, "supervisor", Migrations()), IsOk());
  std::vector<v1::Decision> decisions;
  ASSERT_THAT((*database)->Transact([&](pqxx::work& work) {
    decisions = ListDecisions(work, {2}, 100);
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_EQ(decisions.size(), 6);
  for (const v1::Decision& decision : decisions) {
    EXPECT_EQ(decision.trigger(), decision.fired() ? decision.number() / 2 : 0);
  }
}

// Fires after ten samples once a period of seven seconds has ended, too.
constexpr char kBoth[] = R"({type: ensemble, vote: all, of: [{type: amount, samples: 10},
  {type: time, every: 7s}]})";

v1::SubmitPipelineRequest RequestWith(const std::string& trigger) {
  std::string pipeline = *files::Read(testing::kTestdata.string() + "/sound.yaml");
  const size_t at = pipeline.find("trigger:");
  const size_t end = pipeline.find('\n', at);
  pipeline.replace(at, end - at, "trigger: " + trigger);
  v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(Sha256(trigger));
  request.set_pipeline(pipeline);
  request.set_file_name("sound.yaml");
  request.set_base_folder(testing::kTestdata.string());
  return request;
}

class DecisionsTest : public testing::SupervisorFixture {
 protected:
  RunId Finish(const std::string& trigger) {
    const RunId run = Submit(RequestWith(trigger));
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    EXPECT_EQ(Get(run).run().state(), v1::RUN_STATE_SUCCEEDED) << Get(run).run().error();
    return run;
  }

  absl::StatusOr<v1::GetDecisionResponse> OfTrigger(RunId run, int64_t trigger) {
    v1::GetDecisionRequest request;
    request.set_run_id(run.value);
    request.set_trigger(trigger);
    return supervisor_->decision_answers().Get(request);
  }
  absl::StatusOr<v1::GetDecisionResponse> At(RunId run, int64_t second) {
    v1::GetDecisionRequest request;
    request.set_run_id(run.value);
    request.set_event_time(second * 1'000'000);
    return supervisor_->decision_answers().Get(request);
  }
};

TEST_F(DecisionsTest, TellWhyATriggerFired) {
  const RunId run = Finish("{type: amount, samples: 10}");
  const auto why = OfTrigger(run, 2);
  ASSERT_THAT(why, IsOk());
  EXPECT_EQ(why->decision().number(), 2);
  EXPECT_EQ(why->decision().num_new(), 10);
  EXPECT_EQ(why->decision().verdict().text(),
            "10 new samples had come, as many as `samples` asks for");
  EXPECT_EQ(why->trigger_before().trigger(), 1);
  EXPECT_EQ(why->next().number(), 3);
  EXPECT_THAT(why->policy(), HasSubstr("amount"));
}

TEST_F(DecisionsTest, TellWhyNothingFiredAtATime) {
  const RunId run = Finish(kBoth);
  const auto why = At(run, 8);
  ASSERT_THAT(why, IsOk());
  EXPECT_FALSE(why->decision().fired());
  EXPECT_EQ(why->decision().at().event_time(), 7'000'000);
  const v1::Verdict& verdict = why->decision().verdict();
  EXPECT_EQ(verdict.text(), "1 of 2 policies had voted for a training; 2 are needed");
  ASSERT_EQ(verdict.members_size(), 2);
  EXPECT_TRUE(verdict.members(0).passed_over());
  EXPECT_TRUE(verdict.members(1).has_voted_at());
  EXPECT_TRUE(why->next().fired());
}

TEST_F(DecisionsTest, TellTheLastOneWhereNothingIsAsked) {
  const RunId run = Finish("{type: amount, samples: 10}");
  v1::GetDecisionRequest request;
  request.set_run_id(run.value);
  const auto last = supervisor_->decision_answers().Get(request);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(last->decision().trigger(), 3);
}

TEST_F(DecisionsTest, AreNotFoundWhereThereAreNone) {
  const RunId run = Finish("{type: amount, samples: 10}");
  EXPECT_THAT(OfTrigger(run, 4).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("has fired 3 triggers")));
  EXPECT_THAT(At(run, 3).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("by 1970")));
  EXPECT_THAT(OfTrigger({77}, 1).status(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("77")));
}

// The policy gives the recorded answers again, from what it observed.
TEST_F(DecisionsTest, AreFoundAgainByTheRule) {
  for (const char* trigger : {"{type: amount, samples: 10}", kBoth,
                              "{type: cost, evaluate: {every: 2s}, accepted_delay: 1e-3}"}) {
    const RunId run = Finish(trigger);
    const auto spec = config::Read<TriggerSpec>(trigger, "trigger");
    ASSERT_THAT(spec, IsOk());
    const v1::GetRunResponse shown = Get(run);
    ASSERT_GT(shown.decisions_size(), 2);
    for (const v1::Decision& record : shown.decisions()) {
      const Verdict verdict = VerdictOf(record, *spec);
      EXPECT_EQ((*spec)->Replay(verdict), verdict);
      EXPECT_EQ(verdict.fired, record.fired());
    }
    EXPECT_THAT(supervisor_->removals().DeletePipeline("", "weather"), IsOk());
  }
}

std::vector<Decision> Recorded(const v1::GetRunResponse& run, const TriggerSpec& spec) {
  std::vector<Decision> decisions;
  for (const v1::Decision& record : run.decisions()) {
    decisions.push_back({.at = {{record.at().event_time()}, {record.at().sample_key()}},
                         .fired = record.fired(),
                         .num_samples = record.num_samples(),
                         .num_new = record.num_new(),
                         .verdict = VerdictOf(record, spec)});
  }
  return decisions;
}

TEST_F(DecisionsTest, AreTheSameOfARunThatIsKilledBehindThem) {
  const v1::GetRunResponse undisturbed = Get(Finish(kBoth));
  ASSERT_GT(undisturbed.decisions_size(), undisturbed.triggers_size());
  const auto spec = config::Read<TriggerSpec>(kBoth, "trigger");
  ASSERT_THAT(spec, IsOk());
  ASSERT_THAT(supervisor_->removals().DeletePipeline("", "weather"), IsOk());
  supervisor_.reset();
  for (int trigger = 1; trigger <= undisturbed.triggers_size(); ++trigger) {
    v1::SubmitPipelineRequest submission = RequestWith(kBoth);
    submission.mutable_command()->set_request_id("killed " + std::to_string(trigger));
    const pid_t child = fork();
    if (child == 0) {
      failpoints::Arm("supervisor.after_decision=kill:" + std::to_string(trigger)).IgnoreError();
      auto database = db::Database::Connect(test_database_.connection_string());
      Supervisor supervisor(**database, services_.Connect(), services_.Connect());
      supervisor.submissions().Submit(submission).status().IgnoreError();
      while (true) std::this_thread::yield();
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    Restart();
    ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
    const RunId run{supervisor_->runs().List("", "weather")->front().run_id()};
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    EXPECT_EQ(Recorded(Get(run), *spec), Recorded(undisturbed, *spec));
    supervisor_.reset();
  }
}

TEST_F(DecisionsTest, KeepWhatTrainingsTook) {
  const RunId run = Finish("{type: cost, evaluate: {samples: 5}, accepted_delay: 1e-6}");
  const v1::GetRunResponse shown = Get(run);
  ASSERT_GT(shown.decisions_size(), 2);
  EXPECT_EQ(shown.decisions(0).observed().at("trainings"), 0);
  EXPECT_EQ(shown.decisions(1).observed().at("trainings"), 1);
  EXPECT_GT(shown.decisions(1).observed().at("base_seconds"), 0);
}

TEST_F(DecisionsTest, OfManyEvaluationsWithoutATriggerAreKeptEach) {
  services_.num_samples = 2500;
  services_.FailNext("ListSamples", absl::UnavailableError("storage is away"));
  const RunId run = Finish("{type: cost, evaluate: {samples: 1}, accepted_delay: 1e12}");
  const v1::GetRunResponse shown = Get(run);
  ASSERT_EQ(shown.decisions_size(), 2500);
  EXPECT_EQ(shown.triggers_size(), 1);
  EXPECT_EQ(shown.decisions(2499).num_new(), 2499);
  for (const v1::RecordedEvent& event : shown.events()) {
    if (event.event().has_stream_ended()) {
      EXPECT_EQ(event.event().stream_ended().num_leftover(), 2499);
    }
  }
}

// A batch that is written again, and one by a conductor that was replaced, change nothing.
TEST_F(DecisionsTest, AreWrittenOnce) {
  const RunId run = Finish("{type: amount, samples: 10}");
  const v1::GetRunResponse before = Get(run);
  const DecisionBatch batch{.first_number = 2, .decisions = {{.at = {{1}, {1}}}}, .state = "{}"};
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    AddDecisions(work, run, batch);
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(Get(run).decisions(1).ShortDebugString(), before.decisions(1).ShortDebugString());
  EXPECT_THAT(database_->Transact([&](pqxx::work& work) { return HoldEpoch(work, run, 99); }),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("epoch 99")));
}

// Of a run that was evaluated very often those that fired are shown with it, and any is found.
TEST_F(DecisionsTest, OfALongRunAreFoundEach) {
  constexpr int64_t kMany = 12'000;
  const RunId run = Finish("never");
  const TriggerSpec spec = CostTrigger{.evaluate = {.samples = 1}, .accepted_delay = 100};
  testing::Stream stream;
  for (int64_t i = 0; i < kMany; ++i) {
    stream.times.push_back(i * 1'000'000);
    stream.keys.push_back(i + 1);
  }
  int64_t fired = 0;
  DecisionBatch batch;
  for (Decision& decision : testing::Decide(spec, stream, 1000)) {
    const bool closes = decision.fired || batch.decisions.size() == 999;
    batch.trigger = decision.fired ? ++fired : 0;
    batch.decisions.push_back(std::move(decision));
    if (!closes) continue;
    ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
      AddDecisions(work, run, batch);
      return absl::OkStatus();
    }),
                IsOk());
    batch.first_number += static_cast<int64_t>(batch.decisions.size());
    batch.decisions.clear();
  }
  ASSERT_GT(fired, 5);
  EXPECT_EQ(Get(run).decisions_size(), fired);
  const auto why = OfTrigger(run, fired);
  ASSERT_THAT(why, IsOk());
  EXPECT_EQ(why->trigger_before().trigger(), fired - 1);
  const auto late = At(run, kMany / 2);
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(late->decision().number(), kMany / 2 + 1);
  EXPECT_EQ(late->decision().verdict().policy(), "cost");
}

// Runs of a release that kept decisions without states and verdicts go on, and explain themselves.
TEST_F(DecisionsTest, OfEarlierReleasesAreUnderstood) {
  services_.HoldTrainings();
  const RunId run = Submit(RequestWith("{type: amount, samples: 10}"));
  while (Get(run).decisions_size() < 1) std::this_thread::yield();
  supervisor_->conducted_runs().Shutdown();
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    work.exec0("DELETE FROM supervisor.policy_states");
    work.exec0("UPDATE supervisor.decisions SET record = '{}'");
    return absl::OkStatus();
  }),
              IsOk());
  services_.Release();
  Restart();
  ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
  while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
  EXPECT_EQ(Get(run).run().num_triggers(), 3);
  EXPECT_THAT(OfTrigger(run, 1)->decision().verdict().text(), HasSubstr("10 new samples had come"));
  EXPECT_EQ(Get(run).triggers(2).at().sample_key(), 31);
}

TEST_F(DecisionsTest, OfAManualPolicyAreAtTheTimesThatAreListed) {
  const RunId run = Finish(
      "{type: manual, at: [1970-01-01T00:00:05Z, 1970-01-01T00:00:06Z, 1970-01-01T00:00:30Z]}");
  const v1::GetRunResponse shown = Get(run);
  ASSERT_EQ(shown.triggers_size(), 3);
  EXPECT_EQ(shown.triggers(1).num_samples(), 1);
  EXPECT_EQ(shown.triggers(2).num_samples(), 24);
}

TEST_F(DecisionsTest, OfNeverAreNone) {
  EXPECT_EQ(Get(Finish("never")).triggers_size(), 0);
  EXPECT_THAT(supervisor_->removals().DeletePipeline("", "weather"), IsOk());
  EXPECT_EQ(Get(Finish("{type: never, first: 12}")).triggers_size(), 1);
}

TEST_F(DecisionsTest, AreNotAskedOfAReplay) {
  services_.HoldTrainings();
  const RunId run = Submit(RequestWith("{type: amount, samples: 10}"));
  v1::TriggerRunRequest request;
  request.mutable_command()->set_request_id("now");
  request.set_run_id(run.value);
  EXPECT_THAT(supervisor_->run_control().Trigger(request).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is a replay")));
  services_.Release();
  while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
  EXPECT_EQ(Get(run).run().num_triggers(), 3);
}

TEST_F(DecisionsTest, AreMadeOfALiveRunWhenSomebodyAsks) {
  services_.Arrive(testing::Seconds(0, 16));
  const RunId run =
      Submit(testing::LiveRequest(testing::kTestdata.string(), "a", testing::kLive, ""));
  while (Get(run).triggers_size() < 1) std::this_thread::yield();
  v1::TriggerRunRequest request;
  request.mutable_command()->set_request_id("now");
  request.set_run_id(run.value);
  // The clock stands at second 10: one sample, that of second 10, waits behind it.
  const auto asked = supervisor_->run_control().Trigger(request);
  ASSERT_THAT(asked, IsOk());
  EXPECT_EQ(asked->trigger(), 2);
  services_.Arrive({20});
  while (Get(run).triggers_size() < 2) std::this_thread::yield();
  EXPECT_EQ(supervisor_->run_control().Trigger(request)->trigger(), 2) << "the same request again";
  const auto why = OfTrigger(run, 2);
  ASSERT_THAT(why, IsOk());
  EXPECT_EQ(why->decision().cause(), v1::DECISION_CAUSE_REQUEST);
  EXPECT_THAT(why->decision().verdict().text(), HasSubstr("a user asked"));
  EXPECT_GT(why->decision().num_new(), 0);
  // The policy counts from there.
  services_.Arrive(testing::Seconds(21, 40));
  while (Get(run).triggers_size() < 3) std::this_thread::yield();
  EXPECT_EQ(OfTrigger(run, 3)->decision().num_new(), 10);
  EXPECT_EQ(OfTrigger(run, 3)->decision().cause(), v1::DECISION_CAUSE_UNSPECIFIED);
  while (Get(run).run().state() == v1::RUN_STATE_RUNNING) {
    supervisor_->run_control().Stop(run).status().IgnoreError();
  }
}

}  // namespace
}  // namespace tidemill::supervisor
