// Kills each service at each stage, once, and compares the runs with an undisturbed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "evaluator/client/evaluator_client.h"
#include "model_store/client/model_store_client.h"
#include "storage/client/storage_client.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// The stages of each service, in groups: a run in which each stage of a group kills once costs
// little more than a run with one kill.
const std::vector<std::vector<std::string>>& Groups() {
  static const std::vector<std::vector<std::string>> groups = {
      {"storage.before_command", "storage.after_command", "storage.send_list",
       "storage.send_block"},
      {"storage.ingest_before_copy", "storage.ingest_after_copy", "storage.ingest_before_commit",
       "storage.ingest_after_commit"},
      {"selector.before_seal", "selector.after_seal", "selector.before_commit",
       "selector.after_commit"},
      {"trainer_server.before_fit", "trainer_server.after_fit", "trainer_server.mid_training",
       "trainer_server.before_checkpoint_rename", "trainer_server.after_checkpoint",
       "trainer_server.before_artefact"},
      {"trainer_server.after_artefact", "trainer_server.before_store",
       "trainer_server.after_store"},
      {"model_store.before_rename", "model_store.before_commit", "model_store.after_commit"},
      {"model_store.before_keep", "model_store.after_keep"},
      {"evaluate.before_window", "evaluator.before_window", "evaluator.after_window",
       "evaluator.before_commit", "evaluator.after_commit"},
      {"supervisor.after_decision", "supervisor.before_select", "supervisor.after_select",
       "supervisor.after_fit"},
      {"supervisor.mid_train", "supervisor.after_train", "supervisor.after_store"},
      {"supervisor.before_evaluate", "supervisor.after_evaluate", "supervisor.after_retire"}};
  return groups;
}

// Those that only a training with downsampling passes. One whose process dies more often is given
// up.
const std::vector<std::vector<std::string>>& GroupsOfDownsampling() {
  static const std::vector<std::vector<std::string>> groups = {
      {"trainer_server.mid_auxiliary", "trainer_server.after_auxiliary"},
      {"trainer_server.mid_scoring", "trainer_server.before_choice",
       "trainer_server.after_choice"}};
  return groups;
}

std::vector<std::string> AllOf(const std::vector<std::vector<std::string>>& groups) {
  std::vector<std::string> points;
  for (const auto& group : groups) points.insert(points.end(), group.begin(), group.end());
  return points;
}

using PipelineWriter = std::string (*)(const std::string& folder);

std::string OfSmallSize(const std::string& folder) { return WriteSmallPipeline(folder); }

struct DisturbedRun {
  std::set<std::string> passed = {};
  int exit_code = -1;
  std::string errors;
  std::vector<std::string> fingerprint;
};

// Kills at each of these points, once.
DisturbedRun RunKilledAt(const std::vector<std::string>& points, PipelineWriter write) {
  const Stack stack;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  std::map<std::string, std::string> environment = {{"TIDEMILL_FAILPOINTS_ONCE", marks}};
  for (const std::string& point : points) {
    std::string& armed = environment["TIDEMILL_FAILPOINTS"];
    armed += (armed.empty() ? "" : ";") + point + "=kill";
  }
  const CommandResult result = stack.Tidemill({"run", write(stack.files()), "--json"}, environment);
  DisturbedRun run{.exit_code = result.exit_code,
                   .errors = result.err + (result.exit_code == 0 ? "" : stack.Logs()),
                   .fingerprint = Fingerprint(result.Json())};
  for (const std::string& point : points) {
    if (std::filesystem::exists(marks + "/" + point)) run.passed.insert(point);
  }
  return run;
}

// The run that kills at this point and at the others of its group, made once.
// TIDEMILL_TEST_FAILPOINTS_ALONE: and at no other.
const DisturbedRun& RunWith(const std::string& point,
                            const std::vector<std::vector<std::string>>& groups,
                            PipelineWriter write) {
  static std::map<std::vector<std::string>, DisturbedRun> runs;
  std::vector<std::string> points = {point};
  if (std::getenv("TIDEMILL_TEST_FAILPOINTS_ALONE") == nullptr) {
    points = *std::ranges::find_if(groups, [&](const std::vector<std::string>& group) {
      return std::ranges::find(group, point) != group.end();
    });
  }
  if (!runs.contains(points)) runs[points] = RunKilledAt(points, write);
  return runs[points];
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class Failpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(Failpoint, KillingTheServiceThereChangesNoTriggerKeyOrWeight) {
  static const DisturbedRun undisturbed = RunKilledAt({}, OfSmallSize);
  ASSERT_EQ(undisturbed.fingerprint.front(), "succeeded") << undisturbed.errors;
  const DisturbedRun& run = RunWith(GetParam(), Groups(), OfSmallSize);
  EXPECT_TRUE(run.passed.contains(GetParam())) << "nothing passed " << GetParam();
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.fingerprint, undisturbed.fingerprint);
}

INSTANTIATE_TEST_SUITE_P(EachStage, Failpoint, ::testing::ValuesIn(AllOf(Groups())), NameOf);

class DownsamplingFailpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(DownsamplingFailpoint, KillingTheTrainingThereChangesNoWeight) {
  static const DisturbedRun undisturbed = RunKilledAt({}, WriteDownsamplingPipeline);
  ASSERT_EQ(undisturbed.fingerprint.front(), "succeeded") << undisturbed.errors;
  const DisturbedRun& run = RunWith(GetParam(), GroupsOfDownsampling(), WriteDownsamplingPipeline);
  EXPECT_TRUE(run.passed.contains(GetParam())) << "nothing passed " << GetParam();
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.fingerprint, undisturbed.fingerprint);
}

INSTANTIATE_TEST_SUITE_P(EachStage, DownsamplingFailpoint,
                         ::testing::ValuesIn(AllOf(GroupsOfDownsampling())), NameOf);

// What the last model of a run says about samples, asked for as a policy would.
class ModelColumnsFailpoint : public ::testing::TestWithParam<std::string> {
 protected:
  // Runs the pipeline with the failpoint armed, which no part of it passes.
  void RunPipeline() {
    std::filesystem::create_directory(marks_);
    // A stack that `run` starts ends with the run.
    const CommandResult up = stack_.Tidemill({"up"}, {{"TIDEMILL_FAILPOINTS", GetParam() + "=kill"},
                                                      {"TIDEMILL_FAILPOINTS_ONCE", marks_}});
    ASSERT_EQ(up.exit_code, 0) << up.err;
    const CommandResult result =
        stack_.Tidemill({"run", WriteSmallPipeline(stack_.files()), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    run_ = RunId{result.Json().at("run").get<int64_t>()};
  }

  bool WasPassed() const { return std::filesystem::exists(marks_ + "/" + GetParam()); }

  // All samples of the dataset.
  evaluator::v1::ReadModelColumnsRequest Request() {
    evaluator::v1::ReadModelColumnsRequest request;
    request.mutable_command()->set_run_id(run_.value);
    request.mutable_command()->set_run_epoch(1'000);
    const auto models =
        model_store::ModelStoreClient(stack_.PeerOf("model_store")).ListModels(run_);
    EXPECT_THAT(models, tidemill::testing::IsOk());
    request.set_model_id(models->back().model_id());
    const storage::StorageClient storage(stack_.PeerOf("storage"));
    const auto dataset = storage.GetDataset("drift");
    EXPECT_THAT(dataset, tidemill::testing::IsOk());
    request.set_dataset_id(dataset->dataset_id());
    request.set_dataset_spec(dataset->spec());
    storage::v1::ListSamplesRequest everything;
    *everything.mutable_snapshot() = dataset->snapshot();
    EXPECT_THAT(storage.ListSamples(everything,
                                    [&](const batch::Batch& batch) {
                                      request.mutable_keys()->Add(batch.keys().begin(),
                                                                  batch.keys().end());
                                      return absl::OkStatus();
                                    }),
                tidemill::testing::IsOk());
    request.add_columns(evaluator::v1::MODEL_COLUMN_PREDICTION);
    request.add_columns(evaluator::v1::MODEL_COLUMN_ERROR);
    return request;
  }

  // The bytes of each row.
  std::map<int64_t, std::string> Read(const evaluator::v1::ReadModelColumnsRequest& request) {
    std::map<int64_t, std::string> rows;
    evaluator::EvaluatorClient evaluator(stack_.PeerOf("evaluator"));
    EXPECT_THAT(evaluator.ReadModelColumns(
                    request,
                    [&](const batch::Batch& batch) {
                      for (int64_t row = 0; row < batch.num_rows(); ++row) {
                        std::string& bytes = rows[batch.keys()[static_cast<size_t>(row)]];
                        EXPECT_EQ(bytes, "") << "a row came twice";
                        for (const batch::Column& column : batch.columns()) {
                          const size_t width =
                              static_cast<size_t>(column.Width()) * batch::SizeOf(column.type);
                          bytes +=
                              column.data.view().substr(static_cast<size_t>(row) * width, width);
                        }
                      }
                      return absl::OkStatus();
                    }),
                tidemill::testing::IsOk())
        << stack_.Logs();
    return rows;
  }

  const Stack stack_;
  const std::string marks_ = stack_.files() + "/marks";
  RunId run_;
};

TEST_P(ModelColumnsFailpoint, KillingTheServiceThereChangesNoResult) {
  RunPipeline();
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_FALSE(WasPassed());
  auto request = Request();
  const auto disturbed = Read(request);
  EXPECT_TRUE(WasPassed());
  EXPECT_EQ(disturbed.size(), 1200u);
  // Another request, of which there is no file yet.
  std::reverse(request.mutable_keys()->begin(), request.mutable_keys()->end());
  EXPECT_EQ(Read(request), disturbed);
}

INSTANTIATE_TEST_SUITE_P(EachStage, ModelColumnsFailpoint,
                         ::testing::Values("evaluator.before_columns", "evaluate.mid_columns",
                                           "evaluator.before_forgetting_columns"),
                         NameOf);

}  // namespace
}  // namespace tidemill::tests
