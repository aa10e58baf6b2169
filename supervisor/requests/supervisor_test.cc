#include "supervisor/requests/supervisor.h"

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

using testing::WatchToTheEnd;

class SupervisorTest : public testing::ReplayFixture {};

// The first submission may come while a supervisor that has just started looks for runs.
TEST_F(SupervisorTest, LeavesARunToItsConductorAndWatchersWhenItRecovers) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto watched = supervisor_->conducted_runs().Watch(run);
  ASSERT_THAT(watched, IsOk());
  ASSERT_THAT(supervisor_->conducted_runs().Recover(), IsOk());
  EXPECT_EQ(*supervisor_->conducted_runs().Watch(run), *watched);
  services_.Release();
}

TEST_F(SupervisorTest, KeepsTheValuesThatASubmissionSetsBesideTheText) {
  auto request = Request("a");
  v1::ValueToSet& set = *request.add_values_to_set();
  set.set_key("training.epochs");
  set.set_value("3");
  const RunId run = Submit(request);
  Finish(run);
  const v1::GetRunResponse shown = Get(run);
  ASSERT_EQ(shown.set_values_size(), 1);
  EXPECT_EQ(shown.set_values(0).key(), "training.epochs");
  EXPECT_EQ(shown.set_values(0).value(), "3");
  EXPECT_EQ(shown.set_values(0).was(), "2");
  EXPECT_EQ(shown.pipeline_text(), request.pipeline());
  EXPECT_THAT(shown.pipeline_resolved(), HasSubstr("epochs: 3"));
}

TEST_F(SupervisorTest, TakesAPipelineWithOtherValuesForAnotherOne) {
  services_.HoldTrainings();
  auto request = Request("a");
  request.add_values_to_set()->set_key("training.epochs");
  request.mutable_values_to_set(0)->set_value("3");
  const RunId run = Submit(request);
  EXPECT_THAT(supervisor_->submissions().Submit(Request("b")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not finished")));
  request.mutable_command()->set_request_id("c");
  EXPECT_EQ(Submit(request).value, run.value);
  request.mutable_values_to_set(0)->set_value("none");
  request.mutable_command()->set_request_id("d");
  EXPECT_THAT(supervisor_->submissions().Submit(request),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--set training.epochs: error: training.epochs: expected")));
  services_.Release();
  Finish(run);
}

TEST_F(SupervisorTest, AttachesToAnUnfinishedRunOfTheSamePipeline) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto again = supervisor_->submissions().Submit(Request("b"));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->run_id(), run.value);
  EXPECT_FALSE(again->created());
  auto different = Request("c");
  different.set_pipeline(different.pipeline() + "description: another\n");
  EXPECT_THAT(supervisor_->submissions().Submit(different),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not finished")));
  services_.Release();
  Finish(run);

  const auto repeated = supervisor_->submissions().Submit(Request("a"));
  ASSERT_THAT(repeated, IsOk());
  EXPECT_EQ(repeated->run_id(), run.value);
  const auto later = supervisor_->submissions().Submit(Request("d"));
  ASSERT_THAT(later, IsOk());
  EXPECT_TRUE(later->created());
  EXPECT_NE(later->run_id(), run.value);
  Finish({later->run_id()});
  EXPECT_THAT(supervisor_->runs().List("", "weather"), IsOkAndHolds(SizeIs(2)));
}

class SweepTest : public SupervisorTest {
 protected:
  static v1::SubmitPipelineRequest InSweep(const std::string& id, int32_t setting,
                                           int32_t rung = 1) {
    v1::SubmitPipelineRequest request = Request(id);
    request.add_values_to_set()->set_key("training.epochs");
    request.mutable_values_to_set(0)->set_value(std::to_string(setting));
    request.mutable_in_sweep()->set_sweep("s");
    request.mutable_in_sweep()->set_setting(setting);
    request.mutable_in_sweep()->set_rung(rung);
    return request;
  }
};

TEST_F(SweepTest, RunsItsSettingsSideBySideAndBesideARunOfThePipeline) {
  services_.HoldTrainings();
  const RunId alone = Submit(Request("alone"));
  const RunId first = Submit(InSweep("a", 1));
  const RunId second = Submit(InSweep("b", 2));
  EXPECT_NE(first, second);
  EXPECT_EQ(Submit(Request("again")), alone) << "runs of a sweep do not hide it";
  services_.Release();
  Finish(first);
  Finish(second);
  EXPECT_EQ(Get(first).run().in_sweep().setting(), 1);
  EXPECT_EQ(Get(second).run().in_sweep().sweep(), "s");
  EXPECT_FALSE(Get(alone).run().has_in_sweep());
  v1::ListRunsRequest list;
  list.set_sweep("s");
  EXPECT_EQ(supervisor_->run_lists().List(list)->runs_size(), 2);
}

TEST_F(SweepTest, FindsTheRunOfAPlaceWhateverItsState) {
  const RunId run = Submit(InSweep("a", 1));
  Finish(run);
  const auto again = supervisor_->submissions().Submit(InSweep("b", 1));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->run_id(), run.value);
  EXPECT_FALSE(again->created());
  EXPECT_NE(Submit(InSweep("c", 1, 2)), run) << "another rung is another run";
  v1::SubmitPipelineRequest other = InSweep("d", 1);
  other.mutable_values_to_set(0)->set_value("9");
  EXPECT_THAT(supervisor_->submissions().Submit(other),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another pipeline")));
}

TEST_F(SweepTest, RefusesARunThatCannotBeATrial) {
  v1::SubmitPipelineRequest bare = InSweep("a", 1);
  bare.clear_values_to_set();
  EXPECT_THAT(supervisor_->submissions().Submit(bare),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("values to set")));
  v1::SubmitPipelineRequest nowhere = InSweep("b", 1);
  nowhere.mutable_in_sweep()->set_setting(0);
  EXPECT_THAT(supervisor_->submissions().Submit(nowhere),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("numbered from 1")));
}

TEST_F(SupervisorTest, MakesNoNewVersionOfADatasetWhileARunUsesIt) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  auto other = Request("b");
  other.set_pipeline(other.pipeline() + "description: another\n");
  other.set_on_other_spec(storage::v1::ON_OTHER_SPEC_NEW_VERSION);
  EXPECT_THAT(supervisor_->submissions().Submit(other),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("run 1 is in progress and uses dataset")));
  services_.Release();
  Finish(run);
  EXPECT_THAT(supervisor_->submissions().Submit(other), IsOk());
}

TEST_F(SupervisorTest, KeepsNothingOfABrokenPipeline) {
  auto request = Request("a");
  request.set_pipeline(request.pipeline() + "trigers: {}\n");
  EXPECT_THAT(supervisor_->submissions().Submit(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sound.yaml:30:1: error:")));
  EXPECT_THAT(supervisor_->pipelines().List(""), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(services_.Calls("RegisterDataset"), 0);
}

TEST_F(SupervisorTest, StopsInTheMiddleOfATrainingAndContinuesWhenResumed) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  const auto feed = supervisor_->conducted_runs().Watch(run);
  ASSERT_THAT(feed, IsOk());
  RunFeed::Cursor cursor;
  const auto in_training = [&] {
    const auto next = (*feed)->Next(cursor);
    return next && next->progress().stage() == "train";
  };
  while (!in_training()) std::this_thread::yield();
  const auto stopped = supervisor_->run_control().Stop(run);
  ASSERT_THAT(stopped, IsOk());
  EXPECT_EQ(stopped->state(), v1::RUN_STATE_STOPPED);
  EXPECT_EQ(services_.Calls("StopTraining"), 1);
  EXPECT_EQ(WatchToTheEnd(**feed).back(), "run_stopped");
  EXPECT_THAT(supervisor_->run_control().Stop(run), IsOk());

  services_.Release();
  EXPECT_EQ(Submit(Request("b")), run);  // Submitting it again resumes it, too.
  EXPECT_EQ(Finish(run).back(), "run_succeeded");
}

TEST_F(SupervisorTest, DeletesAPipelineWithAllThatTheServicesKeep) {
  services_.HoldTrainings();
  const RunId run = Submit(Request("a"));
  EXPECT_THAT(testing::DeletePipeline(*supervisor_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("stop it first")));
  services_.Release();
  Finish(run);
  for (const auto& deleted : {supervisor_->removals().DeleteRun(run),
                              supervisor_->removals().DeletePipeline("", "weather")}) {
    EXPECT_THAT(deleted, StatusIs(absl::StatusCode::kFailedPrecondition,
                                  HasSubstr("`tidemill models use weather --none`")));
  }
  EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOkAndHolds(true));
  EXPECT_EQ(services_.Calls("DeleteRun"), 1);
  EXPECT_THAT(testing::DeletePipeline(*supervisor_), IsOkAndHolds(false));
  v1::GetRunRequest get;
  get.set_run_id(run.value);
  EXPECT_THAT(supervisor_->run_answers().Get(get),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  EXPECT_THAT(supervisor_->removals().DeleteRun(run), IsOkAndHolds(false));
}

}  // namespace
}  // namespace tidemill::supervisor
