// How decisions of runs are kept and explained.
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
#include "supervisor/testing/open_pool.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"
#include "supervisor/triggers/plain/cost_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Decisions of a release that did not number the triggers get their numbers.
TEST(DecisionMigrations, NumberTheExistingTriggers) {
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
    EXPECT_EQ(decision.verdict().observed().at("samples"), 5);
    EXPECT_EQ(decision.num_new(), 5);
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
      EXPECT_EQ((*spec)->Replay(verdict).ShortDebugString(), verdict.ShortDebugString());
      EXPECT_EQ(verdict.fired(), record.fired());
    }
    EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
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

TEST_F(DecisionsTest, AreTheSameInARunThatIsKilledAfterThem) {
  const v1::GetRunResponse undisturbed = Get(Finish(kBoth));
  ASSERT_GT(undisturbed.decisions_size(), undisturbed.triggers_size());
  const auto spec = config::Read<TriggerSpec>(kBoth, "trigger");
  ASSERT_THAT(spec, IsOk());
  ASSERT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
  supervisor_.reset();
  for (int trigger = 1; trigger <= undisturbed.triggers_size(); ++trigger) {
    v1::SubmitPipelineRequest submission = RequestWith(kBoth);
    submission.mutable_command()->set_request_id("killed " + std::to_string(trigger));
    const pid_t child = fork();
    if (child == 0) {
      failpoints::Arm("supervisor.after_decision=kill:" + std::to_string(trigger)).IgnoreError();
      auto database = db::Database::Connect(test_database_.connection_string());
      const auto pool = testing::OpenPool(**database);
      Supervisor supervisor(**database, services_.Connect(), services_.Connect(), *pool);
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
  EXPECT_EQ(shown.decisions(0).verdict().observed().at("trainings"), 0);
  EXPECT_EQ(shown.decisions(1).verdict().observed().at("trainings"), 1);
  EXPECT_GT(shown.decisions(1).verdict().observed().at("base_seconds"), 0);
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

// A run that was evaluated very often shows the decisions that fired, and any can be found.
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

// Runs of a release that kept decisions without states and verdicts continue, and explain
// themselves.
TEST_F(DecisionsTest, OfEarlierReleasesAreUnderstood) {
  services_.HoldTrainings();
  const RunId run = Submit(RequestWith("{type: amount, samples: 10}"));
  while (Get(run).decisions_size() < 1) std::this_thread::yield();
  supervisor_->conducted_runs().Shutdown();
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    work.exec0("DELETE FROM supervisor.policy_states");
    work.exec0(
        "UPDATE supervisor.decisions SET record = jsonb_build_object('verdict', "
        "jsonb_build_object('observed', record->'verdict'->'observed'))");
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

// Rows as version 0.7.0 wrote them, with what the policy observed in its own column.
constexpr const char* kRowsOf070[] = {
    R"({"decision":1,"event_time":7000000,"sample_key":0,"fired":false,"num_samples":7,
        "observed":{"votes":1.0},"at":"2026-11-27T08:00:48.061242+00:00","trigger":null,
        "record":{"num_new":"7","seconds":0.000010455,"verdict":{"policy":"ensemble",
          "members":[{"policy":"amount","passed_over":true},
            {"fired":true,"policy":"time","nearest":{"to":7,"key":"every","from":7},
             "observed":{"samples":7,"period_seconds":7},"voted_at":{"event_time":"7000000"},
             "comparison":{"unit":"seconds","value":7,"quantity":"event time passed",
                           "threshold":7}}],
          "nearest":{"to":2,"key":"votes","from":1},"observed":{"votes":1},
          "comparison":{"unit":"votes","value":1,"quantity":"votes","threshold":2}}}})",
    R"({"decision":2,"event_time":9000000,"sample_key":11,"fired":true,"num_samples":3,
        "observed":{"votes":2.0},"at":"2026-11-27T08:00:48.061242+00:00","trigger":1,
        "record":{"num_new":"10","seconds":0.000003305,"verdict":{"fired":true,"policy":"ensemble",
          "members":[
            {"fired":true,"policy":"amount","nearest":{"to":10,"key":"samples","from":10},
             "observed":{"samples":10},"voted_at":{"event_time":"9000000","sample_key":"11"},
             "comparison":{"unit":"samples","value":10,"quantity":"new samples","threshold":10}},
            {"policy":"time","voted_at":{"event_time":"7000000"},"passed_over":true}],
          "nearest":{"to":10,"key":"of[0].samples","from":10},"observed":{"votes":2},
          "comparison":{"unit":"votes","value":2,"quantity":"votes","threshold":2}}}})"};

// The verdicts of these rows, as version 0.7.0 explained them.
constexpr const char* kVerdictsOf070[] = {
    R"(policy: "ensemble" observed { key: "votes" value: 1 } )"
    R"(comparison { quantity: "votes" value: 1 threshold: 2 unit: "votes" } )"
    R"(nearest { key: "votes" from: 1 to: 2 } )"
    R"(members { policy: "amount" passed_over: true text: "it did not decide here" } )"
    R"(members { policy: "time" fired: true observed { key: "period_seconds" value: 7 } )"
    R"(observed { key: "samples" value: 7 } )"
    R"(comparison { quantity: "event time passed" value: 7 threshold: 7 unit: "seconds" } )"
    R"(nearest { key: "every" from: 7 to: 7 } voted_at { event_time: 7000000 } )"
    R"(text: "a period of 7 s of event time had ended, with 7 samples in it" } )"
    R"(text: "1 of 2 policies had voted for a training; 2 are needed")",
    R"(policy: "ensemble" fired: true observed { key: "votes" value: 2 } )"
    R"(comparison { quantity: "votes" value: 2 threshold: 2 unit: "votes" } )"
    R"(nearest { key: "of[0].samples" from: 10 to: 10 } )"
    R"(members { policy: "amount" fired: true observed { key: "samples" value: 10 } )"
    R"(comparison { quantity: "new samples" value: 10 threshold: 10 unit: "samples" } )"
    R"(nearest { key: "samples" from: 10 to: 10 } )"
    R"(voted_at { event_time: 9000000 sample_key: 11 } )"
    R"(text: "10 new samples had come, as many as `samples` asks for" } )"
    R"(members { policy: "time" passed_over: true voted_at { event_time: 7000000 } )"
    R"(text: "it did not decide here; its vote still counts" } )"
    R"(text: "2 of 2 policies had voted for a training; 2 are needed")"};

TEST_F(DecisionsTest, OfVersion070AreExplainedAsThatVersionExplainedThem) {
  const RunId run = Finish(kBoth);
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    work.exec0("DELETE FROM supervisor.schema_migrations WHERE number > 4");
    work.exec0("DROP VIEW supervisor.kept_models");
    work.exec0("DROP TABLE supervisor.model_changes, supervisor.retirements");
    work.exec0("DROP INDEX supervisor.run_events_model_idx, supervisor.run_events_stored_idx");
    work.exec0("DROP TABLE supervisor.members, supervisor.placements, supervisor.used_shares");
    work.exec0("DROP VIEW supervisor.run_summaries");
    work.exec0("DROP TABLE supervisor.run_scores, supervisor.run_tags");
    work.exec0(
        "ALTER TABLE supervisor.runs DROP COLUMN note, DROP COLUMN is_trial, "
        "DROP COLUMN sweep, DROP COLUMN sweep_setting, DROP COLUMN sweep_rung");
    work.exec0("DELETE FROM supervisor.decisions");
    work.exec0("ALTER TABLE supervisor.decisions ADD COLUMN observed jsonb NOT NULL");
    for (const char* row : kRowsOf070) {
      work.exec_params0(
          "INSERT INTO supervisor.decisions SELECT (jsonb_populate_record("
          "NULL::supervisor.decisions, jsonb_set($2::jsonb, '{run_id}', to_jsonb($1::bigint)))).*",
          run.value, row);
    }
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(db::Migrate(*database_, "supervisor", Migrations()), IsOk());
  const auto refused = At(run, 8);
  ASSERT_THAT(refused, IsOk());
  EXPECT_EQ(refused->decision().verdict().ShortDebugString(), kVerdictsOf070[0]);
  const auto fired = OfTrigger(run, 1);
  ASSERT_THAT(fired, IsOk());
  EXPECT_EQ(fired->decision().verdict().ShortDebugString(), kVerdictsOf070[1]);
  EXPECT_EQ(fired->decision().num_new(), 10);
  EXPECT_EQ(Get(run).decisions(0).verdict().observed().at("votes"), 1);
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
  EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
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
  // The clock is at second 10: one sample, that of second 10, waits after it.
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
