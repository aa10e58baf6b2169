// Evaluations and outputs of models whose samples workers prepare, and which die: values, counts
// and numbers are the same, to the last bit, as without workers.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "evaluator/client/evaluator_client.h"
#include "preprocess/client/dispatcher_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::tidemill::testing::IsOk;

constexpr int kNumRows = 40'000;
constexpr int64_t kStart = 1'700'000'000;
constexpr char kKill[] = "preprocess_worker.after_making";

// Some rows have no label, some no number, and a filter leaves out others.
void WriteRows(const std::string& path) {
  std::ofstream data(path);
  data << "t,x,y,z,class\n";
  for (int row = 0; row < kNumRows; ++row) {
    const std::string x = row % 997 == 5 ? "broken" : std::to_string(row * 37 % 1000);
    const bool is_labelled = row % 53 != 7;
    data << fmt::format("{},{},{},{},{}\n", kStart + row, x, row % 331,
                        is_labelled ? std::to_string(row % 613 * 0.5) : "",
                        is_labelled ? (row * 37 % 1000 + row % 331 > 600 ? "high" : "low") : "");
  }
}

struct Subject {
  std::string name;
  std::string label;
  std::string outputs;
  std::string loss;
  std::string measures;
};

const Subject kClasses{.name = "classes",
                       .label = "{column: class, classes: [low, high]}",
                       .outputs = "2",
                       .loss = "cross_entropy",
                       .measures = "[accuracy, log_loss, roc_auc]"};
const Subject kReals{.name = "reals",
                     .label = "{column: z, kind: real}",
                     .outputs = "1",
                     .loss = "mse",
                     .measures = "[mae, r2]"};

std::string WritePipeline(const std::string& folder, const Subject& subject) {
  const std::string path = fmt::format("{}/{}.yaml", folder, subject.name);
  std::ofstream(path) << fmt::format(R"(version: 1
name: {0}
datasets:
  {0}:
    path: .
    files: "rows.csv"
    format: csv
    event_time: {{column: t, format: unix}}
    label: {1}
    settle: 0s
preprocess:
  dataset: {0}
  graph:
    - parse_csv: {{columns: [x, y]}}
    - filter: y < 200 or y > 210
    - standardize: {{columns: all}}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [24], outputs: {2}}}
trigger: {{type: amount, samples: 19_000}}
selection: {{type: all_data, limit: 2000}}
training: {{device: cpu, batch_size: 64, loss: {3}, seed: 1}}
)",
                                     subject.name, subject.label, subject.outputs, subject.loss);
  return path;
}

class PreparedEvaluations : public ::testing::TestWithParam<Subject> {
 protected:
  // A stack with two workers, of which the first that has made something kills itself.
  PreparedEvaluations() {
    std::filesystem::create_directory(marks_);
    EXPECT_EQ(stack_
                  ->Tidemill({"up"}, {{"TIDEMILL_WORKERS", "2"},
                                      {"TIDEMILL_FAILPOINTS", std::string(kKill) + "=kill"},
                                      {"TIDEMILL_FAILPOINTS_ONCE", marks_}})
                  .exit_code,
              0);
    WriteRows(stack_->files() + "/rows.csv");
  }

  bool WasKilled() const { return std::filesystem::exists(marks_ + "/" + kKill); }

  void SetUp() override {
    const CommandResult run =
        stack_->Tidemill({"run", WritePipeline(stack_->files(), GetParam()), "--json"});
    ASSERT_EQ(run.exit_code, 8) << "some samples are bad: " << run.err << stack_->Logs();
    const nlohmann::json shown = run.Json();
    for (const auto& trigger : shown.at("triggers")) models_.push_back(trigger.at("model"));
    run_ = shown.at("run");
    const storage::StorageClient storage(stack_->PeerOf("storage"));
    const auto dataset = storage.GetDataset(GetParam().name);
    ASSERT_THAT(dataset, IsOk());
    dataset_ = *dataset;
    const auto snapshot = storage.SyncDataset({dataset_.dataset_id()}, nullptr);
    ASSERT_THAT(snapshot, IsOk());
    snapshot_ = *snapshot;
    ListKeys(storage);
    // They are in the snapshot, and cannot be read.
    const storage::StorageClient operators(stack_->PeerOf("storage", rpc::v1::ROLE_OPERATOR));
    const std::vector<int64_t> deleted = {keys_[100], keys_[7], keys_[20'000]};
    rpc::v1::Command command;
    command.set_request_id("delete from " + GetParam().name);
    ASSERT_THAT(operators.DeleteSamples({dataset_.dataset_id()}, deleted, command), IsOk());
  }

  void ListKeys(const storage::StorageClient& storage) {
    storage::v1::ListSamplesRequest list;
    *list.mutable_snapshot() = snapshot_;
    const auto add = [this](const batch::Batch& samples) {
      keys_.insert(keys_.end(), samples.keys().begin(), samples.keys().end());
      return absl::OkStatus();
    };
    ASSERT_THAT(storage.ListSamples(list, add), IsOk());
    ASSERT_GT(keys_.size(), size_t{kNumRows - 10}) << "others were deleted";
  }

  rpc::v1::Command CommandOf(int64_t run) const {
    rpc::v1::Command command;
    command.set_request_id(rpc::NewRequestId());
    command.set_run_id(run);
    command.set_run_epoch(1'000'000);
    return command;
  }

  // Measures both models on all samples, and on some.
  std::vector<std::string> Evaluate(int32_t number, const std::string& workers,
                                    const std::string& cache = "") {
    evaluator::v1::StartEvaluationRequest request;
    *request.mutable_command() = CommandOf(run_);
    request.set_evaluation(number);
    *request.mutable_snapshot() = snapshot_;
    request.set_dataset_name(dataset_.name());
    request.set_dataset_spec(dataset_.spec());
    for (const int64_t model : models_) request.add_model_ids(model);
    evaluator::v1::Window& whole = *request.add_windows();
    whole.set_model_in_use(models_.front());
    whole.set_trigger_in_use(1);
    whole.mutable_known_to()->set_event_time((kStart + 20'000) * 1'000'000);
    request.add_windows()->mutable_to()->set_event_time((kStart + 3'000) * 1'000'000);
    *request.mutable_known_labels()->mutable_snapshot() = snapshot_;
    request.set_evaluation_spec(
        fmt::format("{{dataset: rows, windows: {{type: whole}}, models: all, measures: {}}}",
                    GetParam().measures));
    request.set_workers(workers);
    request.set_cache(cache);
    evaluator::EvaluatorClient evaluator(stack_->PeerOf("evaluator"));
    EXPECT_THAT(evaluator.StartEvaluation(request), IsOk());
    const auto end = evaluator.WatchEvaluation(RunId{run_}, number,
                                               [](const auto&) { return absl::OkStatus(); });
    EXPECT_THAT(end, IsOk());
    EXPECT_EQ(end->state(), evaluator::v1::EVALUATION_STATE_DONE) << end->error();
    end_ = *end;
    return ValuesOf(number);
  }

  std::vector<std::string> ValuesOf(int32_t number) {
    evaluator::EvaluatorClient evaluator(stack_->PeerOf("evaluator"));
    auto listed = evaluator.ListEvaluations(RunId{run_});
    EXPECT_THAT(listed, IsOk());
    std::vector<std::string> values;
    for (evaluator::v1::Evaluation& each : *listed) {
      if (each.evaluation() != number) continue;
      EXPECT_EQ(each.failure(), "");
      each.clear_evaluation();
      values.push_back(each.ShortDebugString());
    }
    return values;
  }

  // The outputs of the last model for all samples. Files of answers belong to a run.
  std::string ColumnsOf(int64_t run, const std::vector<evaluator::v1::ModelColumn>& columns,
                        const std::string& workers) {
    evaluator::v1::ReadModelColumnsRequest request;
    *request.mutable_command() = CommandOf(run);
    request.set_model_id(models_.back());
    request.set_dataset_id(dataset_.dataset_id());
    request.set_dataset_spec(dataset_.spec());
    request.mutable_keys()->Add(keys_.begin(), keys_.end());
    for (const auto column : columns) request.add_columns(column);
    request.set_workers(workers);
    evaluator::EvaluatorClient evaluator(stack_->PeerOf("evaluator"));
    std::vector<batch::Batch> parts;
    EXPECT_THAT(evaluator.ReadModelColumns(request,
                                           [&](batch::Batch rows) {
                                             parts.push_back(std::move(rows));
                                             return absl::OkStatus();
                                           }),
                IsOk());
    return parts.empty() ? "" : batch::Encode(*batch::Concatenate(parts));
  }

  // Whether workers have made batches, apart from `before`; they say so a little later.
  bool HaveMadeMore(int64_t before) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (NumMade() <= before) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  // The batches that workers have made.
  int64_t NumMade() const {
    preprocess::DispatcherClient dispatcher(stack_->PeerOf("preprocess"));
    const auto known = dispatcher.ListWorkers();
    EXPECT_THAT(known, IsOk());
    int64_t num_batches = 0;
    for (const auto& worker : known->workers()) num_batches += worker.num_batches();
    return num_batches;
  }

  const std::unique_ptr<Stack> stack_ = std::make_unique<Stack>();
  const std::string marks_ = stack_->files() + "/marks";
  int64_t run_ = 0;
  std::vector<int64_t> models_;
  storage::v1::Dataset dataset_;
  rpc::v1::Snapshot snapshot_;
  std::vector<int64_t> keys_;
  evaluator::v1::WatchEvaluationResponse end_;  // What the last evaluation ended with.
};

TEST_P(PreparedEvaluations, AreTheSameToTheLastBit) {
  const std::vector<std::string> here = Evaluate(100, "");
  ASSERT_GE(here.size(), 8u);
  EXPECT_THAT(here, ::testing::Contains(::testing::HasSubstr("value: ")));
  EXPECT_FALSE(WasKilled()) << "no worker was asked";
  EXPECT_EQ(end_.num_prepared_at_workers(), 0);
  const int64_t num_samples = end_.num_prepared_here();
  EXPECT_GE(num_samples, std::ssize(keys_));
  EXPECT_EQ(Evaluate(101, "{}"), here);
  EXPECT_TRUE(WasKilled());
  const int64_t before = NumMade();
  EXPECT_EQ(Evaluate(102, "{}"), here);
  EXPECT_TRUE(HaveMadeMore(before)) << "nothing came from workers";
  EXPECT_GT(end_.num_prepared_at_workers(), end_.num_prepared_here());
  EXPECT_EQ(end_.num_prepared_at_workers() + end_.num_prepared_here(), num_samples);
  EXPECT_EQ(Evaluate(103, "{transport: frames, bytes_ahead: 1MiB, training_helps: true}"), here);
  // What workers keep, the evaluator finds, and the reverse.
  const std::string cache = "{type: after, op: parse_csv}";
  EXPECT_EQ(Evaluate(104, "{}", cache), here);
  EXPECT_EQ(Evaluate(105, "", cache), here);
  EXPECT_GT(end_.num_found(), num_samples / 2);
  EXPECT_EQ(Evaluate(106, "{}", cache), here);
}

TEST_P(PreparedEvaluations, OutputsOfModelsAreTheSameToTheLastBit) {
  using evaluator::v1::MODEL_COLUMN_EMBEDDING, evaluator::v1::MODEL_COLUMN_ERROR,
      evaluator::v1::MODEL_COLUMN_PREDICTION;
  const std::vector<std::vector<evaluator::v1::ModelColumn>> asked = {
      {MODEL_COLUMN_EMBEDDING, MODEL_COLUMN_PREDICTION}, {MODEL_COLUMN_ERROR}};
  for (const auto& columns : asked) {
    const std::string here = ColumnsOf(1'000, columns, "");
    ASSERT_NE(here, "");
    EXPECT_TRUE(ColumnsOf(1'001, columns, "{}") == here);
    EXPECT_TRUE(WasKilled()) << "by the first columns";
    const int64_t before = NumMade();
    EXPECT_TRUE(ColumnsOf(1'002, columns, "{}") == here);
    EXPECT_TRUE(HaveMadeMore(before)) << "nothing came from workers";
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachLabel, PreparedEvaluations, ::testing::Values(kClasses, kReals),
                         [](const ::testing::TestParamInfo<Subject>& tested) {
                           return tested.param.name;
                         });

}  // namespace
}  // namespace tidemill::tests
