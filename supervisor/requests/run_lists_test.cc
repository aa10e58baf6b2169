#include "supervisor/requests/run_lists.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "db/migrations.h"
#include "db/testing/postgres.h"
#include "supervisor/migrations.h"
#include "supervisor/runs/run_annotations.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Runs that nothing conducts, whose values a map tells.
class RunListsTest : public ::testing::Test {
 protected:
  RunListsTest() {
    database_ = *db::Database::Connect(test_database_.connection_string());
    EXPECT_THAT(db::Migrate(*database_, kSchema, Migrations()), IsOk());
    lists_ = std::make_unique<RunLists>(*database_, [this](RunId run) { return Measured(run); });
  }

  absl::StatusOr<v1::GetRunResponse> Measured(RunId run) {
    ++num_measured_;
    if (fails_) return Unavailable("the evaluator is away");
    v1::GetRunResponse response;
    const auto known = accuracy_.find(run.value);
    if (known == accuracy_.end()) return response;
    evaluator::v1::Evaluation& value = *response.add_results();
    value.set_trigger(1);
    value.set_dataset_name("weather");
    value.set_measure("accuracy");
    value.set_value(known->second);
    value.set_num_samples(10);
    return response;
  }

  // A run with `num_triggers` triggers, which is still running.
  int64_t NewRun(const std::string& pipeline, int num_triggers = 0,
                 const std::string& name_space = "default") {
    int64_t number = 0;
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      const PipelineId id = SavePipeline(work, {name_space, pipeline}, "", "spec");
      number = InsertRun(work, id, "spec", "text").value;
      v1::RunEvent event;
      event.mutable_run_started();
      RETURN_IF_ERROR(Append(work, number, event));
      for (int i = 1; i <= num_triggers; ++i) {
        v1::RunEvent fired;
        fired.mutable_trigger_fired()->set_trigger(i);
        RETURN_IF_ERROR(Append(work, number, fired));
      }
      return absl::OkStatus();
    }),
                IsOk());
    return number;
  }

  absl::Status Append(pqxx::work& work, int64_t run, const v1::RunEvent& event) {
    RunState& state = states_[run];
    state.Apply(event);
    return AppendEvent(work, {.run = {run}, .run_epoch = 1, .sequence = ++sequences_[run]}, event,
                       state)
        .status();
  }

  void End(int64_t run, bool succeeds) {
    v1::RunEvent event;
    if (succeeds) {
      event.mutable_run_succeeded();
    } else {
      event.mutable_run_failed()->set_error("boom");
    }
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) { return Append(work, run, event); }),
                IsOk());
  }

  void Tag(int64_t run, const std::vector<std::string>& tags) {
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      return AnnotateRun(work, {run}, {.added_tags = tags});
    }),
                IsOk());
  }

  v1::ListRunsResponse List(const v1::ListRunsRequest& request) {
    const auto listed = lists_->List(request);
    EXPECT_THAT(listed, IsOk());
    return listed.ok() ? *listed : v1::ListRunsResponse();
  }

  std::vector<int64_t> Numbers(const v1::ListRunsRequest& request) {
    std::vector<int64_t> numbers;
    const v1::ListRunsResponse listed = List(request);
    for (const v1::Run& run : listed.runs()) numbers.push_back(run.run_id());
    return numbers;
  }

  static v1::ListRunsRequest By(v1::RunOrder order, bool descending = false) {
    v1::ListRunsRequest request;
    request.set_order(order);
    request.set_descending(descending);
    return request;
  }

  db::testing::TestDatabase test_database_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<RunLists> lists_;
  std::map<int64_t, double> accuracy_;
  std::map<int64_t, RunState> states_;
  std::map<int64_t, int64_t> sequences_;
  int num_measured_ = 0;
  bool fails_ = false;
};

TEST_F(RunListsTest, TrialsAreLeftOutWhereAskedForUntilTheyArePromoted) {
  const int64_t plain = NewRun("a");
  int64_t trial = 0;
  EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
    const PipelineId id = SavePipeline(work, {"default", "a"}, "", "spec");
    trial = InsertRun(work, id, "spec", "text", /*is_trial=*/true).value;
    return absl::OkStatus();
  }),
              IsOk());
  v1::ListRunsRequest request;
  EXPECT_THAT(Numbers(request), ElementsAre(trial, plain));
  EXPECT_TRUE(List(request).runs(0).is_trial());
  request.set_without_trials(true);
  EXPECT_THAT(Numbers(request), ElementsAre(plain));
  request.set_limit(1);
  EXPECT_EQ(List(request).num_left_out(), 0);
  EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
    Promote(work, {trial});
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_THAT(Numbers(request), ElementsAre(trial));
  EXPECT_EQ(List(request).num_left_out(), 1);
}

TEST_F(RunListsTest, HaveTheNewestRunFirstAndSayWhatTheLimitLeavesOut) {
  for (int i = 0; i < 5; ++i) NewRun("weather");
  EXPECT_THAT(Numbers({}), ElementsAre(5, 4, 3, 2, 1));
  v1::ListRunsRequest two;
  two.set_limit(2);
  const v1::ListRunsResponse listed = List(two);
  ASSERT_EQ(listed.runs_size(), 2);
  EXPECT_EQ(listed.runs(1).run_id(), 4);
  EXPECT_EQ(listed.num_left_out(), 3);
  EXPECT_EQ(List({}).num_left_out(), 0);
}

TEST_F(RunListsTest, AreFilteredByPipelineStateTagsAndNamespace) {
  NewRun("weather");
  NewRun("prices");
  NewRun("weather");
  NewRun("weather", 0, "other");
  End(1, true);
  End(2, false);
  Tag(1, {"nightly", "best"});
  Tag(3, {"nightly"});
  v1::ListRunsRequest request;
  request.set_pipeline_name("weather");
  EXPECT_THAT(Numbers(request), ElementsAre(3, 1));
  request.add_states(v1::RUN_STATE_SUCCEEDED);
  EXPECT_THAT(Numbers(request), ElementsAre(1));
  request.clear_pipeline_name();
  request.add_states(v1::RUN_STATE_FAILED);
  EXPECT_THAT(Numbers(request), ElementsAre(2, 1));
  request.clear_states();
  request.add_tags("nightly");
  EXPECT_THAT(Numbers(request), ElementsAre(3, 1));
  request.add_tags("best");
  EXPECT_THAT(Numbers(request), ElementsAre(1));
  request.add_tags("missing");
  EXPECT_THAT(Numbers(request), IsEmpty());
  v1::ListRunsRequest other;
  other.set_namespace_("other");
  EXPECT_THAT(Numbers(other), ElementsAre(4));
}

TEST_F(RunListsTest, AreOrderedByEachKey) {
  NewRun("prices", 2);
  NewRun("weather", 3);
  NewRun("alarms", 2);
  End(1, true);
  End(2, false);
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_RUN)), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_RUN, true)), ElementsAre(3, 2, 1));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_PIPELINE)), ElementsAre(3, 1, 2));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_STARTED)), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_TRIGGERS)), ElementsAre(3, 1, 2));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_TRIGGERS, true)), ElementsAre(2, 3, 1));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_SAMPLES)), ElementsAre(3, 2, 1));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_STATE)), ElementsAre(2, 3, 1));
  ASSERT_THAT(database_->Transact([](pqxx::work& work) {
    work.exec(R"(UPDATE supervisor.runs SET started_at = now() - run_id * interval '1 hour',
                   finished_at = CASE run_id WHEN 2 THEN now() - interval '119 minutes' END)");
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_DURATION)), ElementsAre(2, 1, 3));
}

TEST_F(RunListsTest, AreOrderedByScoreWithThoseWithoutOneAtTheEnd) {
  for (int i = 0; i < 4; ++i) NewRun("weather");
  accuracy_ = {{1, 0.5}, {2, 0.9}, {4, 0.7}};
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_SCORE)), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(Numbers(By(v1::RUN_ORDER_SCORE, true)), ElementsAre(2, 4, 1, 3));
  v1::ListRunsRequest best = By(v1::RUN_ORDER_SCORE, true);
  best.set_limit(1);
  best.set_with_scores(true);
  const v1::ListRunsResponse listed = List(best);
  ASSERT_EQ(listed.runs_size(), 1);
  EXPECT_DOUBLE_EQ(listed.runs(0).score().value(), 0.9);
  EXPECT_EQ(num_measured_, 4) << "a score is computed once";
}

TEST_F(RunListsTest, ComputeAScoreAgainOnceTheRunHasAnotherEvent) {
  const int64_t run = NewRun("weather");
  v1::ListRunsRequest request;
  EXPECT_FALSE(List(request).runs(0).has_score());
  EXPECT_EQ(num_measured_, 0) << "without being asked, none is computed";
  request.set_with_scores(true);
  EXPECT_FALSE(List(request).runs(0).has_score());
  accuracy_[run] = 0.5;
  EXPECT_FALSE(List(request).runs(0).has_score()) << "nothing has happened since";
  End(run, true);
  EXPECT_DOUBLE_EQ(List(request).runs(0).score().value(), 0.5);
  EXPECT_EQ(num_measured_, 2);
}

TEST_F(RunListsTest, SayWhyAScoreIsMissing) {
  NewRun("weather");
  NewRun("weather");
  fails_ = true;
  v1::ListRunsRequest request;
  request.set_with_scores(true);
  v1::ListRunsResponse listed = List(request);
  EXPECT_EQ(listed.runs_size(), 2);
  EXPECT_EQ(listed.num_unscored(), 2);
  EXPECT_THAT(listed.why_unscored(), HasSubstr("the evaluator is away"));
  listed = List(By(v1::RUN_ORDER_SCORE));
  EXPECT_EQ(listed.runs_size(), 2);
  EXPECT_EQ(listed.num_unscored(), 2);
  fails_ = false;
  EXPECT_EQ(List(request).num_unscored(), 0);
}

TEST_F(RunListsTest, RefuseWhatNoListCanMean) {
  const auto refused = [](const std::string& why) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why));
  };
  v1::ListRunsRequest request;
  request.set_limit(-1);
  EXPECT_THAT(lists_->List(request), refused("the limit -1 is negative"));
  request.Clear();
  request.add_tags("{a,b}");
  EXPECT_THAT(lists_->List(request), refused("cannot name a tag"));
  request.Clear();
  request.set_pipeline_name("a b");
  EXPECT_THAT(lists_->List(request), refused("cannot name a pipeline"));
  request.Clear();
  request.add_states(static_cast<v1::RunState>(77));
  EXPECT_THAT(lists_->List(request), refused("there is no state 77"));
  request.Clear();
  request.set_order(static_cast<v1::RunOrder>(77));
  EXPECT_THAT(lists_->List(request), refused("there is no order 77"));
}

}  // namespace
}  // namespace tidemill::supervisor
