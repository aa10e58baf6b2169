// Kills each service at each stage, once, and compares the run with an undisturbed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "evaluator/client/evaluator_client.h"
#include "model_store/client/model_store_client.h"
#include "storage/client/storage_client.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// The undisturbed run, made once.
const std::vector<std::string>& Undisturbed() {
  static const std::vector<std::string> fingerprint = [] {
    const Stack stack;
    const CommandResult result =
        stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    return Fingerprint(result.Json());
  }();
  return fingerprint;
}

std::string NameOf(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class Failpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(Failpoint, KillingTheServiceThereChangesNoTriggerKeyOrWeight) {
  ASSERT_EQ(Undisturbed().front(), "succeeded");
  const Stack stack;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string point = GetParam();
  const CommandResult result = stack.Tidemill(
      {"run", WriteSmallPipeline(stack.files()), "--json"},
      {{"TIDEMILL_FAILPOINTS", point + "=kill"}, {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_EQ(Fingerprint(result.Json()), Undisturbed());
}

// Each service at each of its stages.
INSTANTIATE_TEST_SUITE_P(
    EachStage, Failpoint,
    ::testing::Values(
        "storage.before_command", "storage.after_command", "storage.send_list",
        "storage.send_block", "storage.ingest_before_copy", "storage.ingest_after_copy",
        "storage.ingest_before_commit", "storage.ingest_after_commit", "selector.before_seal",
        "selector.after_seal", "selector.before_commit", "selector.after_commit",
        "trainer_server.before_fit", "trainer_server.after_fit", "trainer_server.mid_training",
        "trainer_server.before_checkpoint_rename", "trainer_server.after_checkpoint",
        "trainer_server.before_artefact", "trainer_server.after_artefact",
        "trainer_server.before_store", "trainer_server.after_store", "model_store.before_rename",
        "model_store.before_commit", "model_store.after_commit", "evaluate.before_window",
        "evaluator.before_window", "evaluator.after_window", "evaluator.before_commit",
        "evaluator.after_commit", "supervisor.after_decision", "supervisor.before_select",
        "supervisor.after_select", "supervisor.after_fit", "supervisor.mid_train",
        "supervisor.after_train", "supervisor.after_store", "supervisor.before_evaluate",
        "supervisor.after_evaluate", "supervisor.after_retire"),
    NameOf);

// The small pipeline with a training that trains another model, scores and chooses.
std::string WriteDownsamplingPipeline(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  std::string text = files::Read(path).value();
  const std::string seed = "  seed: 11\n";
  text.insert(text.find(seed) + seed.size(),
              "  downsampling: {type: rho_loss, fraction: 0.5, when: sample_then_batch}\n");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

class DownsamplingFailpoint : public ::testing::TestWithParam<const char*> {
 protected:
  // The run, with the failpoint armed, or undisturbed.
  static std::vector<std::string> Run(const std::string& point) {
    const Stack stack;
    const std::string marks = stack.files() + "/marks";
    std::filesystem::create_directory(marks);
    std::map<std::string, std::string> armed;
    if (!point.empty()) {
      armed = {{"TIDEMILL_FAILPOINTS", point + "=kill"}, {"TIDEMILL_FAILPOINTS_ONCE", marks}};
    }
    const CommandResult result =
        stack.Tidemill({"run", WriteDownsamplingPipeline(stack.files()), "--json"}, armed);
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    if (!point.empty()) {
      EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
    }
    return Fingerprint(result.Json());
  }
};

TEST_P(DownsamplingFailpoint, KillingTheTrainingThereChangesNoWeight) {
  static const std::vector<std::string> undisturbed = Run("");
  ASSERT_EQ(undisturbed.front(), "succeeded");
  EXPECT_EQ(Run(GetParam()), undisturbed);
}

INSTANTIATE_TEST_SUITE_P(EachStage, DownsamplingFailpoint,
                         ::testing::Values("trainer_server.mid_auxiliary",
                                           "trainer_server.after_auxiliary",
                                           "trainer_server.mid_scoring",
                                           "trainer_server.before_choice",
                                           "trainer_server.after_choice"),
                         NameOf);

// What the last model of a run says of samples, asked for as a policy would.
class ModelColumnsFailpoint : public ::testing::TestWithParam<const char*> {
 protected:
  // Runs the pipeline with the failpoint armed, which no part of it passes.
  void RunPipeline() {
    std::filesystem::create_directory(marks_);
    // A stack that `run` starts ends with the run.
    const CommandResult up =
        stack_.Tidemill({"up"}, {{"TIDEMILL_FAILPOINTS", std::string(GetParam()) + "=kill"},
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

TEST_P(ModelColumnsFailpoint, KillingTheServiceThereChangesNothingThatIsSaid) {
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
                         ::testing::Values("evaluator.before_columns", "evaluate.mid_columns"),
                         NameOf);

}  // namespace
}  // namespace tidemill::tests
