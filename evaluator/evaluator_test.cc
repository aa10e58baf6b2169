#include "evaluator/evaluator.h"

#include <csignal>
#include <latch>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "devices/pretended_devices.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr JobKey kJob{.run = {1}, .evaluation = 0};

rpc::v1::Command CommandOf(int64_t run, int64_t epoch = 1) {
  rpc::v1::Command command;
  command.set_run_id(run);
  command.set_run_epoch(epoch);
  return command;
}

// Evaluation 0 of run 1: models 5 and 6 on three windows, model 6 alone on the last.
v1::StartEvaluationRequest Request(int64_t epoch = 1) {
  v1::StartEvaluationRequest request;
  *request.mutable_command() = CommandOf(1, epoch);
  request.set_dataset_name("elec2");
  request.set_evaluation_spec("{dataset: elec2, measures: [accuracy, f1]}");
  request.add_model_ids(5);
  request.add_model_ids(6);
  for (int64_t i = 0; i < 3; ++i) {
    v1::Window& window = *request.add_windows();
    window.mutable_from()->set_event_time(1'000'001 * i);
    window.mutable_from()->set_sample_key(100 * i);
    if (i < 2) {
      window.mutable_to()->set_event_time(1'000'001 * (i + 1));
      window.mutable_to()->set_sample_key(100 * (i + 1));
    } else {
      window.add_model_ids(6);
    }
  }
  return request;
}

// What a job that measures all reports of one model on one window: a value that tells both.
v1::JobReport ScoresOf(int64_t window, int64_t model) {
  v1::JobReport report;
  v1::ModelScores& scores = *report.mutable_scores();
  scores.mutable_common()->set_window_index(window);
  scores.mutable_common()->set_model_id(model);
  scores.mutable_common()->set_trigger(model - 4);
  scores.mutable_common()->set_num_samples(50);
  scores.mutable_common()->set_num_bad(1);
  scores.mutable_common()->set_num_known(51);
  scores.add_scores()->set_measure("accuracy");
  scores.mutable_scores(0)->set_value(static_cast<double>(window) +
                                      0.1 * static_cast<double>(model));
  scores.add_scores()->set_measure("f1_macro");
  return report;
}

v1::JobReport EndOf(int64_t window) {
  v1::JobReport report;
  report.mutable_window_end()->set_window_index(window);
  return report;
}

absl::Status ReportWindow(const v1::JobWindow& window, const ReportSink& report) {
  for (const int64_t model : window.window().model_ids()) {
    RETURN_IF_ERROR(report(ScoresOf(window.window_index(), model)));
  }
  return report(EndOf(window.window_index()));
}

absl::Status MeasureAll(const JobKey&, const v1::EvaluationJob& job, const ReportSink& report,
                        const std::stop_token&) {
  for (const v1::JobWindow& window : job.windows()) RETURN_IF_ERROR(ReportWindow(window, report));
  return absl::OkStatus();
}

class EvaluatorTest : public ::testing::Test {
 protected:
  // One life of the evaluator; ends the one before.
  Evaluator& NewLife(JobRunner run_job) {
    evaluator_.reset();
    connection_ = *db::Database::Connect(database_.connection_string());
    evaluator_ = *Evaluator::Open(*connection_, {*devices_}, std::move(run_job));
    return *evaluator_;
  }

  // Waits for the end of the job.
  v1::WatchEvaluationResponse End(Evaluator& evaluator) {
    v1::WatchEvaluationResponse last;
    EXPECT_THAT(evaluator.Watch(
                    kJob,
                    [&](const v1::WatchEvaluationResponse& progress) {
                      last = progress;
                      return true;
                    },
                    [] { return true; }),
                IsOk());
    return last;
  }

  // "model/window/measure=value", in the order listed.
  std::vector<std::string> Listed(Evaluator& evaluator) {
    std::vector<std::string> all;
    const auto evaluations = evaluator.List(RunId{1});
    for (const v1::Evaluation& e : *evaluations) {
      all.push_back(fmt::format("{}/{}/{}={}", e.model_id(), e.window_index(), e.measure(),
                                e.has_value() ? fmt::format("{:.1f}", e.value()) : "none"));
    }
    return all;
  }

  db::testing::TestDatabase database_;
  const std::unique_ptr<devices::Devices> devices_ = *devices::PretendDevices("0x1GiB");
  std::unique_ptr<db::Database> connection_;
  std::unique_ptr<Evaluator> evaluator_;
};

const std::vector<std::string> kEverything = {
    "5/0/accuracy=0.5", "5/0/f1_macro=none", "5/1/accuracy=1.5", "5/1/f1_macro=none",
    "6/0/accuracy=0.6", "6/0/f1_macro=none", "6/1/accuracy=1.6", "6/1/f1_macro=none",
    "6/2/accuracy=2.6", "6/2/f1_macro=none"};

TEST_F(EvaluatorTest, KeepsWhatAJobMeasured) {
  Evaluator& evaluator = NewLife(MeasureAll);
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  const v1::WatchEvaluationResponse end = End(evaluator);
  EXPECT_EQ(end.state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(end.error(), "");
  EXPECT_EQ(end.windows_done(), 3);
  EXPECT_EQ(end.windows_total(), 3);
  EXPECT_EQ(end.samples_done(), 3 * 51);
  EXPECT_EQ(Listed(evaluator), kEverything);
  const v1::Evaluation middle = evaluator.List(RunId{1})->at(2);
  EXPECT_EQ(middle.dataset_name(), "elec2");
  EXPECT_EQ(middle.trigger(), 1);
  EXPECT_EQ(middle.num_samples(), 50);
  EXPECT_EQ(middle.num_bad(), 1);
  EXPECT_EQ(middle.num_known(), 51);
  EXPECT_EQ(middle.from().DebugString(), Request().windows(1).from().DebugString());
  EXPECT_EQ(middle.to().DebugString(), Request().windows(1).to().DebugString());
  EXPECT_FALSE(evaluator.List(RunId{1})->back().has_to());
}

TEST_F(EvaluatorTest, StartingAgainDoesNothing) {
  int num_runs = 0;
  Evaluator& evaluator = NewLife([&](const auto&... arguments) {
    ++num_runs;
    return MeasureAll(arguments...);
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  End(evaluator);
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(num_runs, 1);
}

TEST_F(EvaluatorTest, AProcessThatDiesIsReplacedForTheMissingWindows) {
  std::vector<std::vector<int64_t>> asked;
  Evaluator& evaluator = NewLife([&](const JobKey&, const v1::EvaluationJob& job,
                                     const ReportSink& report, const std::stop_token&) {
    std::vector<int64_t> windows;
    for (const v1::JobWindow& window : job.windows()) windows.push_back(window.window_index());
    asked.push_back(windows);
    RETURN_IF_ERROR(ReportWindow(job.windows(0), report));
    if (job.windows_size() == 1) return absl::OkStatus();
    // Dies in the middle of the next window.
    RETURN_IF_ERROR(report(ScoresOf(job.windows(1).window_index(), 5)));
    return absl::AbortedError("the process was killed");
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_THAT(asked, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 2), ElementsAre(2)));
  EXPECT_EQ(Listed(evaluator), kEverything);
}

TEST_F(EvaluatorTest, AProcessThatAlwaysDiesFailsTheJobUntilItIsStartedAgain) {
  int num_runs = 0;
  bool healed = false;
  Evaluator& evaluator = NewLife([&](const auto&... arguments) -> absl::Status {
    ++num_runs;
    if (healed) return MeasureAll(arguments...);
    return absl::AbortedError("the process was killed by signal 9");
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  const v1::WatchEvaluationResponse end = End(evaluator);
  EXPECT_EQ(end.state(), v1::EVALUATION_STATE_FAILED);
  EXPECT_THAT(end.error(), HasSubstr("signal 9"));
  EXPECT_EQ(num_runs, Evaluator::kMaxAttempts);
  healed = true;
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(Listed(evaluator), kEverything);
}

// Adds a score with all that it can have; its detail follows in two pieces.
absl::Status ReportInPieces(const v1::JobWindow& window, const ReportSink& report) {
  v1::JobReport message = ScoresOf(window.window_index(), 5);
  v1::Evaluation& first = *message.mutable_scores()->mutable_scores(0);
  first.set_low(0.25);
  first.set_high(0.75);
  first.set_num_unkept(9);
  RETURN_IF_ERROR(report(message));
  message.mutable_scores()->clear_scores();
  v1::Evaluation& slice = *message.mutable_scores()->add_scores();
  slice.set_measure("accuracy");
  slice.set_slice("class=UP");
  slice.set_value(0.125);
  slice.set_num_samples(7);
  RETURN_IF_ERROR(report(message));
  for (const char* piece : {"{\"a\":", "1}"}) {
    message.set_more_detail(piece);
    RETURN_IF_ERROR(report(message));
  }
  return report(EndOf(window.window_index()));
}

TEST_F(EvaluatorTest, KeepsSlicesIntervalsAndDetailsThatComeInPieces) {
  Evaluator& evaluator = NewLife([](const JobKey&, const v1::EvaluationJob& job,
                                    const ReportSink& report, const std::stop_token&) {
    for (const v1::JobWindow& window : job.windows()) {
      RETURN_IF_ERROR(ReportInPieces(window, report));
    }
    return absl::OkStatus();
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  const auto list = evaluator.List(RunId{1});
  ASSERT_THAT(list, IsOk());
  ASSERT_EQ(list->size(), 9U);
  const v1::Evaluation& whole = list->at(0);
  EXPECT_EQ(whole.slice(), "");
  EXPECT_EQ(whole.low(), 0.25);
  EXPECT_EQ(whole.high(), 0.75);
  EXPECT_EQ(whole.num_samples(), 50);
  EXPECT_EQ(whole.num_unkept(), 9) << "a figure needs no column";
  EXPECT_EQ(whole.detail(), "");
  const v1::Evaluation& slice = list->at(1);
  EXPECT_EQ(slice.measure(), "accuracy") << "slices of a measure follow it";
  EXPECT_EQ(slice.slice(), "class=UP");
  EXPECT_EQ(slice.value(), 0.125);
  EXPECT_FALSE(slice.has_low());
  EXPECT_EQ(slice.num_samples(), 7);
  EXPECT_EQ(slice.detail(), R"({"a":1})");
  EXPECT_EQ(list->at(2).measure(), "f1_macro");
}

// Each window with model 5, and a baseline beside it; model 5 fails where `lost`.
JobRunner WithBaselines(bool lost) {
  return [lost](const JobKey&, const v1::EvaluationJob& job, const ReportSink& report,
                const std::stop_token&) {
    EXPECT_EQ(job.evaluation().known_labels().snapshot().dataset_id(), 9);
    for (const v1::JobWindow& window : job.windows()) {
      v1::JobReport message = ScoresOf(window.window_index(), 5);
      if (lost) message.mutable_scores()->mutable_common()->set_failure("the weights have changed");
      RETURN_IF_ERROR(report(message));
      for (const char* baseline : {"constant", "last"}) {
        message = ScoresOf(window.window_index(), 0);
        message.mutable_scores()->mutable_common()->set_trigger(1);
        message.mutable_scores()->mutable_common()->set_baseline(baseline);
        message.mutable_scores()->mutable_scores(0)->set_sums("[1]");
        RETURN_IF_ERROR(report(message));
      }
      RETURN_IF_ERROR(report(EndOf(window.window_index())));
    }
    return absl::OkStatus();
  };
}

TEST_F(EvaluatorTest, AFaultOfAMeasureIsReportedAndIsNotAFailure) {
  Evaluator& evaluator = NewLife([](const JobKey&, const v1::EvaluationJob& job,
                                    const ReportSink& report, const std::stop_token&) {
    for (const v1::JobWindow& window : job.windows()) {
      v1::JobReport scores = ScoresOf(window.window_index(), 6);
      scores.mutable_scores()->mutable_scores(1)->set_fault("cost.py:Cost: it broke");
      RETURN_IF_ERROR(report(scores));
      v1::JobReport more;
      for (const char* const piece : {"Traceback", ":\nit broke"}) {
        more.set_more_traceback(piece);
        RETURN_IF_ERROR(report(more));
      }
      RETURN_IF_ERROR(report(EndOf(window.window_index())));
    }
    return absl::OkStatus();
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  const v1::WatchEvaluationResponse end = End(evaluator);
  EXPECT_EQ(end.state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(end.error(), "");
  ASSERT_EQ(end.faults_size(), 1);
  EXPECT_EQ(end.faults(0).measure(), "f1_macro");
  EXPECT_EQ(end.faults(0).num_values(), 3);
  EXPECT_EQ(end.faults(0).what(), "cost.py:Cost: it broke");
  EXPECT_EQ(end.faults(0).traceback(), "Traceback:\nit broke");
  const auto evaluations = evaluator.List(RunId{1});
  EXPECT_EQ(evaluations->front().failure(), "");
  EXPECT_EQ(evaluations->back().failure(), "cost.py:Cost: it broke");
}

TEST_F(EvaluatorTest, KeepsBaselinesBesideTheModels) {
  Evaluator& evaluator = NewLife(WithBaselines(/*lost=*/false));
  v1::StartEvaluationRequest request = Request();
  request.mutable_known_labels()->mutable_snapshot()->set_dataset_id(9);
  ASSERT_THAT(evaluator.Start(request), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  const auto list = evaluator.List(RunId{1});
  ASSERT_THAT(list, IsOk());
  ASSERT_EQ(list->size(), 3U * 3 * 2);
  EXPECT_EQ(list->at(0).baseline(), "constant");
  EXPECT_EQ(list->at(1).baseline(), "last");
  EXPECT_EQ(list->at(1).sums(), "[1]");
  EXPECT_EQ(list->at(1).trigger(), 1);
  EXPECT_EQ(list->back().baseline(), "");
}

TEST_F(EvaluatorTest, BaselinesDoNotSaveAJobThatLostAllModels) {
  Evaluator& evaluator = NewLife(WithBaselines(/*lost=*/true));
  v1::StartEvaluationRequest request = Request();
  request.mutable_known_labels()->mutable_snapshot()->set_dataset_id(9);
  ASSERT_THAT(evaluator.Start(request), IsOk());
  const auto end = End(evaluator);
  EXPECT_EQ(end.state(), v1::EVALUATION_STATE_FAILED);
  EXPECT_EQ(end.error(), "model 5, 3 windows: the weights have changed");
}

// Model 5 cannot be loaded; model 6 can, if `some` is.
JobRunner Losing(bool some) {
  return [some](const JobKey&, const v1::EvaluationJob& job, const ReportSink& report,
                const std::stop_token&) {
    for (const v1::JobWindow& window : job.windows()) {
      for (const int64_t model : window.window().model_ids()) {
        v1::JobReport scores = ScoresOf(window.window_index(), model);
        if (model == 5 || !some) {
          scores.mutable_scores()->mutable_common()->set_failure("the weights have changed");
          scores.mutable_scores()->mutable_scores(0)->clear_value();
        }
        RETURN_IF_ERROR(report(scores));
      }
      RETURN_IF_ERROR(report(EndOf(window.window_index())));
    }
    return absl::OkStatus();
  };
}

TEST_F(EvaluatorTest, WhatIsLostIsNamedAndTheRestIsKept) {
  Evaluator& evaluator = NewLife(Losing(/*some=*/true));
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  const v1::WatchEvaluationResponse end = End(evaluator);
  EXPECT_EQ(end.state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(end.error(), "model 5, 2 windows: the weights have changed");
  EXPECT_THAT(Listed(evaluator),
              ::testing::IsSupersetOf({"5/0/accuracy=none", "6/0/accuracy=0.6"}));
}

TEST_F(EvaluatorTest, AJobThatLostAllHasFailedAndIsMeasuredAnewWhenStartedAgain) {
  Evaluator& evaluator = NewLife(Losing(/*some=*/false));
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_FAILED);
  Evaluator& next = NewLife(MeasureAll);
  ASSERT_THAT(next.Start(Request()), IsOk());
  EXPECT_EQ(End(next).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(Listed(next), kEverything);
}

TEST_F(EvaluatorTest, WatchersWaitForAServiceThatIsAwayForLongAndNoJobFails) {
  bool is_away = true;
  Evaluator& evaluator = NewLife([&](const auto&... arguments) -> absl::Status {
    return is_away ? Unavailable("the database does not answer") : MeasureAll(arguments...);
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_THAT(evaluator.Watch(
                  kJob, [](const auto&) { return true; }, [] { return true; }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the database does not answer")));
  is_away = false;
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(Listed(evaluator), kEverything);
}

TEST_F(EvaluatorTest, StoppingLeavesTheJobToTheNextLife) {
  std::latch stopped(1);
  Evaluator& evaluator = NewLife([&](const JobKey&, const v1::EvaluationJob& job,
                                     const ReportSink& report, const std::stop_token& stop) {
    RETURN_IF_ERROR(ReportWindow(job.windows(0), report));
    const std::stop_callback end(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return absl::Status(Cancelled("stopped"));
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  ASSERT_THAT(evaluator.Watch(
                  kJob, [](const auto& progress) { return progress.windows_done() == 0; },
                  [] { return true; }),
              IsOk());
  evaluator.Stop();
  EXPECT_THAT(evaluator.Watch(
                  kJob, [](const auto&) { return true; }, [] { return true; }),
              StatusIs(absl::StatusCode::kUnavailable, _));
  std::vector<int64_t> asked;
  Evaluator& next = NewLife([&](const JobKey& key, const v1::EvaluationJob& job,
                                const ReportSink& report, const std::stop_token& stop) {
    for (const v1::JobWindow& window : job.windows()) asked.push_back(window.window_index());
    return MeasureAll(key, job, report, stop);
  });
  ASSERT_THAT(next.Start(Request()), IsOk());
  EXPECT_EQ(End(next).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_THAT(asked, ElementsAre(1, 2));
  EXPECT_EQ(Listed(next), kEverything);
}

TEST_F(EvaluatorTest, ForgetsARunAndStopsItsJob) {
  std::latch stopped(1);
  Evaluator& evaluator = NewLife([&](const JobKey&, const v1::EvaluationJob& job,
                                     const ReportSink& report, const std::stop_token& stop) {
    RETURN_IF_ERROR(ReportWindow(job.windows(0), report));
    const std::stop_callback end(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return report(EndOf(1));
  });
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  ASSERT_THAT(evaluator.Watch(
                  kJob, [](const auto& progress) { return progress.windows_done() == 0; },
                  [] { return true; }),
              IsOk());
  EXPECT_THAT(evaluator.DeleteRun(CommandOf(1)), IsOkAndHolds(1));
  EXPECT_THAT(evaluator.DeleteRun(CommandOf(1)), IsOkAndHolds(0));
  EXPECT_THAT(Listed(evaluator), IsEmpty());
  EXPECT_THAT(evaluator.Watch(
                  kJob, [](const auto&) { return true; }, [] { return true; }),
              StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(EvaluatorTest, RefusesBadSpecsAndEarlierEpochs) {
  Evaluator& evaluator = NewLife(MeasureAll);
  v1::StartEvaluationRequest bad = Request();
  bad.set_evaluation_spec("{dataset: elec2, measures: [acuracy]}");
  EXPECT_THAT(evaluator.Start(bad),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("accuracy")));
  ASSERT_THAT(evaluator.Start(Request(/*epoch=*/2)), IsOk());
  EXPECT_THAT(evaluator.Start(Request(/*epoch=*/1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
  EXPECT_THAT(evaluator.DeleteRun(CommandOf(1, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

class KilledAt : public EvaluatorTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(KilledAt, TheNextLifeMeasuresTheRestOnce) {
  ASSERT_EXIT(
      {
        failpoints::Arm(std::string(GetParam()) + "=kill:2").IgnoreError();
        Evaluator& evaluator = NewLife(MeasureAll);
        evaluator.Start(Request()).IgnoreError();
        End(evaluator);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  Evaluator& evaluator = NewLife(MeasureAll);
  EXPECT_THAT(Listed(evaluator), ::testing::Contains("5/0/accuracy=0.5"));
  EXPECT_THAT(Listed(evaluator), ::testing::Not(::testing::Contains("6/2/accuracy=2.6")));
  ASSERT_THAT(evaluator.Start(Request()), IsOk());
  EXPECT_EQ(End(evaluator).state(), v1::EVALUATION_STATE_DONE);
  EXPECT_EQ(Listed(evaluator), kEverything);
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledAt,
                         ::testing::Values("evaluator.before_window", "evaluator.after_window",
                                           "evaluator.before_commit", "evaluator.after_commit"));

}  // namespace
}  // namespace tidemill::evaluator
