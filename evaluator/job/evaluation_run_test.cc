#include "evaluator/job/evaluation_run.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "db/testing/postgres.h"
#include "evaluator/testing/cluster.h"
#include "evaluator/testing/predictors.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;

class EvaluationRunTest : public ::testing::Test {
 protected:
  // Runs the job of `windows` in this process and keeps what it reports.
  absl::Status Run(const std::vector<v1::JobWindow>& windows) {
    return Run(cluster_.Job(), windows);
  }
  absl::Status Run(v1::EvaluationJob job, const std::vector<v1::JobWindow>& windows) {
    for (const v1::JobWindow& window : windows) *job.add_windows() = window;
    return RunEvaluation(
        job,
        {.make_predictor =
             [&](const models::ModelSpec& model, std::string_view weights, auto outputs) {
               steps_.emplace_back(model.type());
               return testing::MakeThresholdPredictor(model, weights, outputs);
             },
         .set_threads = [](int) {},
         .enter_sandbox =
             [&](const models::SandboxedJob& sandboxed) {
               steps_.push_back(sandboxed.starts_plugins ? "stay out" : "enter");
               return absl::OkStatus();
             }},
        [&](const v1::JobReport& report) {
          if (report.has_scores()) {
            const v1::ModelScores& scores = report.scores();
            auto& of = scores.common().baseline().empty() ? scores_
                                                          : baselines_[scores.common().baseline()];
            of[{scores.common().window_index(), scores.common().model_id()}].MergeFrom(scores);
          }
          if (report.has_more_detail()) detail_ += report.more_detail();
          if (report.has_window_end()) ended_.push_back(report.window_end().window_index());
        });
  }

  const v1::ModelScores& Of(int64_t window, int64_t model) { return scores_[{window, model}]; }

  testing::Cluster cluster_{/*num_samples=*/20, {.unreadable = {12}}};
  using Scores = std::map<std::pair<int64_t, int64_t>, v1::ModelScores>;
  Scores scores_;
  std::map<std::string, Scores> baselines_;
  std::string detail_;
  std::vector<int64_t> ended_;
  // Types of networks, as they are made, and the sandbox.
  std::vector<std::string> steps_;
};

TEST_F(EvaluationRunTest, MeasuresEachModelOnItsWindows) {
  const int64_t first = cluster_.Put(1, "4");
  const int64_t second = cluster_.Put(2, "8");
  // Samples 0 to 9; 10 to the end, one of which cannot be read; none.
  ASSERT_THAT(Run({testing::WindowOf(0, std::nullopt, 10, {first, second}),
                   testing::WindowOf(1, 10, std::nullopt, {second}),
                   testing::WindowOf(2, 100, 200, {first})}),
              IsOk());
  EXPECT_THAT(ended_, ElementsAre(0, 1, 2));
  EXPECT_EQ(scores_.size(), 4u);
  EXPECT_DOUBLE_EQ(Of(0, first).scores(0).value(), 1.0);
  EXPECT_EQ(Of(0, first).common().trigger(), 1);
  EXPECT_DOUBLE_EQ(Of(0, second).scores(0).value(), 0.6);
  EXPECT_EQ(Of(0, second).common().num_samples(), 10);
  EXPECT_DOUBLE_EQ(Of(1, second).scores(0).value(), 1.0);
  EXPECT_EQ(Of(1, second).common().num_samples(), 9);
  EXPECT_EQ(Of(1, second).common().num_bad(), 1);
  EXPECT_FALSE(Of(2, first).scores(0).has_value());
  EXPECT_EQ(Of(2, first).common().num_samples(), 0);
  EXPECT_EQ(cluster_.num_samples_read(), 20) << "each sample is read once for all models";
}

TEST_F(EvaluationRunTest, ModelsThatDoNotFitInMemoryAreMeasuredOneAfterAnother) {
  const int64_t first = cluster_.Put(1, "4");
  const int64_t second = cluster_.Put(2, "8");
  const int64_t third = cluster_.Put(3, "2");
  const std::vector<v1::JobWindow> windows = {
      testing::WindowOf(0, std::nullopt, 10, {first, second, third}),
      testing::WindowOf(1, 0, 5, {first, third})};
  ASSERT_THAT(Run(windows), IsOk());
  const auto together = std::exchange(scores_, {});
  const int64_t num_read_once = cluster_.num_samples_read();
  ended_.clear();
  v1::EvaluationJob job = cluster_.Job();
  job.set_model_bytes(1);
  ASSERT_THAT(Run(job, windows), IsOk());
  EXPECT_THAT(ended_, ElementsAre(0, 1));
  ASSERT_EQ(scores_.size(), together.size());
  for (const auto& [of, scores] : together) {
    EXPECT_EQ(scores_[of].SerializeAsString(), scores.SerializeAsString()) << of.second;
  }
  EXPECT_EQ(cluster_.num_samples_read() - num_read_once, 3 * 10 + 2 * 5)
      << "a window is read for each model";
}

TEST_F(EvaluationRunTest, ReadsNoSampleWhoseRowAnEarlierJobHasKept) {
  const std::vector<v1::JobWindow> windows = {testing::WindowOf(
      0, std::nullopt, std::nullopt, {cluster_.Put(1, "4"), cluster_.Put(2, "8")})};
  ASSERT_THAT(Run(windows), IsOk());
  const auto made = std::exchange(scores_, {});
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_prepared()->set_disk_folder(cluster_.folder() + "/kept");
  job.mutable_prepared()->set_disk_bytes(1 << 20);
  job.mutable_evaluation()->set_cache("{type: after, op: parse_csv}");
  for (const int64_t num_read : {20, 1}) {
    const int64_t before = cluster_.num_samples_read();
    ASSERT_THAT(Run(job, windows), IsOk());
    EXPECT_EQ(cluster_.num_samples_read() - before, num_read) << "one cannot be read";
    for (const auto& [of, scores] : std::exchange(scores_, {})) {
      EXPECT_EQ(scores.SerializeAsString(), made.at(of).SerializeAsString());
    }
  }
  job.mutable_evaluation()->set_cache("off");
  ASSERT_THAT(Run(job, windows), IsOk());
  EXPECT_EQ(cluster_.num_samples_read(), 20 + 20 + 1 + 20);
}

TEST_F(EvaluationRunTest, KeepsNothingBesideANetworkOfAUser) {
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_prepared()->set_disk_folder(cluster_.folder() + "/kept");
  job.mutable_prepared()->set_disk_bytes(1 << 20);
  job.mutable_evaluation()->set_cache("{type: after, op: parse_csv}");
  const int64_t model = cluster_.Put(1, "5", "{type: torchscript, file: net.pt, outputs: 2}");
  ASSERT_THAT(Run(job, {testing::WindowOf(0, 0, 10, {model})}), IsOk());
  EXPECT_FALSE(files::Exists(cluster_.folder() + "/kept"));
}

TEST_F(EvaluationRunTest, EntersTheSandboxOnceBeforeTheFirstNetworkOfAUser) {
  const std::string from_file = "{type: torchscript, file: net.pt, outputs: 2}";
  ASSERT_THAT(Run({testing::WindowOf(0, 0, 10,
                                     {cluster_.Put(1, "4"), cluster_.Put(2, "5", from_file),
                                      cluster_.Put(3, "6", from_file)})}),
              IsOk());
  EXPECT_THAT(steps_, ElementsAre("mlp", "enter", "torchscript", "torchscript"));
}

// Samples 0 to 4 are LOW, the others HIGH; sample 12 cannot be read.
TEST_F(EvaluationRunTest, MeasuresBaselinesOnTheSamplesOfTheModelInUse) {
  const int64_t model = cluster_.Put(1, "4");
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_evaluation()->mutable_known_labels()->mutable_snapshot()->set_dataset_id(1);
  const auto window = [&](int64_t index, int64_t from, int64_t to) {
    v1::JobWindow made = testing::WindowOf(index, from, to, {model});
    made.mutable_window()->set_model_in_use(model);
    made.mutable_window()->set_trigger_in_use(1);
    *made.mutable_window()->mutable_known_to() = made.window().from();
    return made;
  };
  v1::JobWindow unused = testing::WindowOf(0, 0, 3, {model});
  ASSERT_THAT(Run(job, {unused, window(1, 3, 10), window(2, 10, 20)}), IsOk());
  EXPECT_FALSE(baselines_["constant"].contains({0, 0})) << "no model was in use";
  const v1::ModelScores& first = baselines_["constant"].at({1, 0});
  EXPECT_DOUBLE_EQ(first.scores(0).value(), 2.0 / 7) << "only LOW was known";
  EXPECT_EQ(first.common().trigger(), 1);
  EXPECT_EQ(first.common().num_samples(), 7);
  EXPECT_DOUBLE_EQ(baselines_["last"].at({1, 0}).scores(0).value(), 6.0 / 7);
  const v1::ModelScores& second = baselines_["constant"].at({2, 0});
  EXPECT_DOUBLE_EQ(second.scores(0).value(), 0) << "of five of each the first class";
  EXPECT_EQ(second.common().num_samples(), 9);
  EXPECT_DOUBLE_EQ(baselines_["last"].at({2, 0}).scores(0).value(), 1);
  EXPECT_EQ(Of(2, model).common().num_samples(), 9);
}

TEST_F(EvaluationRunTest, ADamagedOrUnknownModelCostsItselfOnly) {
  const int64_t damaged = cluster_.Put(1, "1");
  const int64_t useless = cluster_.Put(2, "no number");
  const int64_t fine = cluster_.Put(3, "4");
  cluster_.Damage(damaged);
  ASSERT_THAT(Run({testing::WindowOf(0, 0, 10, {damaged, useless, 77, fine})}), IsOk());
  EXPECT_THAT(Of(0, damaged).common().failure(), HasSubstr("SHA-256"));
  EXPECT_EQ(Of(0, damaged).common().trigger(), 1);
  EXPECT_THAT(Of(0, useless).common().failure(), HasSubstr("not weights"));
  EXPECT_THAT(Of(0, 77).common().failure(), HasSubstr("model 77 is unknown"));
  EXPECT_EQ(Of(0, fine).common().failure(), "");
  EXPECT_DOUBLE_EQ(Of(0, fine).scores(0).value(), 1.0);
}

TEST_F(EvaluationRunTest, RefusesToCompareClassesOfAnotherOrder) {
  const int64_t model = cluster_.Put(1, "4");
  v1::EvaluationJob job = cluster_.Job();
  std::string& spec = *job.mutable_evaluation()->mutable_dataset_spec();
  spec.replace(spec.find("LOW, HIGH"), 9, "HIGH, LOW");
  ASSERT_THAT(Run(job, {testing::WindowOf(0, 0, 10, {model})}), IsOk());
  EXPECT_THAT(Of(0, model).common().failure(), HasSubstr("knows the classes [LOW, HIGH]"));
}

TEST_F(EvaluationRunTest, ReportsSlicesAndDetails) {
  const int64_t model = cluster_.Put(1, "4");
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_evaluation()->set_evaluation_spec(
      "{dataset: test, measures: [calibration_error, accuracy, confusion_matrix], "
      "slices: [{type: column, name: x}]}");
  ASSERT_THAT(Run(job, {testing::WindowOf(0, 0, 10, {model})}), IsOk());
  EXPECT_EQ(Of(0, model).scores_size(), 3 + 2 * 10);
  EXPECT_EQ(Of(0, model).scores(1).value(), 1);
  EXPECT_THAT(detail_, HasSubstr(R"({"bins":[{"from":0.0,)"));
  EXPECT_THAT(detail_, HasSubstr(R"({"classes":["LOW","HIGH"],"counts":[[5,0],[0,5]]})"));
}

TEST_F(EvaluationRunTest, ReportsLinesThatFitThePipe) {
  const int64_t model = cluster_.Put(1, "4");
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_evaluation()->set_evaluation_spec(
      "{dataset: test, measures: [{type: calibration_error, bins: 1000}, accuracy, f1, recall], "
      "slices: [class, {type: column, name: x, bins: [-1.000000000000001, 3.000000000000001]}]}");
  *job.add_windows() = testing::WindowOf(0, 0, 10, {model});
  const std::string path = cluster_.folder() + "/job";
  ASSERT_THAT(files::WriteAtomically(path, job.SerializeAsString()), IsOk());
  size_t num_lines = 0;
  EXPECT_EQ(
      RunEvaluationJob(
          path,
          [](const devices::OwnedDevice&) {
            return Arithmetic{
                .make_predictor = testing::MakeThresholdPredictor,
                .set_threads = [](int) {},
                .enter_sandbox = [](const models::SandboxedJob&) { return absl::OkStatus(); }};
          },
          [&](const std::string& line) {
            ++num_lines;
            EXPECT_LT(line.size(), 4096U) << line;
          }),
      0);
  EXPECT_GT(num_lines, 100U);
}

TEST_F(EvaluationRunTest, ReportsWhyAJobCannotBeDone) {
  v1::EvaluationJob job = cluster_.Job();
  job.mutable_evaluation()->set_evaluation_spec("{dataset: d}");
  const std::string path = cluster_.folder() + "/job";
  ASSERT_THAT(files::WriteAtomically(path, job.SerializeAsString()), IsOk());
  std::vector<std::string> lines;
  EXPECT_EQ(RunEvaluationJob(
                path, [](const devices::OwnedDevice&) { return Arithmetic(); },
                [&](const std::string& line) { lines.push_back(line); }),
            1);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("measures")));
}

}  // namespace
}  // namespace tidemill::evaluator
