// `tidemill predict` on half a million rows of a CSV file, from the start of the command to the
// written predictions, against the evaluator, which measures the same model on the same rows of the
// stored dataset. Both run on one real stack. The peak of the memory of each process that takes
// part is printed for a tenth of the rows and for all of them.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/status.h"
#include "base/time.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "evaluator/client/evaluator_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill {
namespace {

constexpr int64_t kRows = 500'000;
constexpr int kRepetitions = 5;
constexpr char kGraph[] =
    "- parse_csv: {columns: [a, b, c]}\n"
    "- standardize: {columns: all}\n"
    "- stack: {columns: all, into: input}\n"
    "- label: {into: target}\n";

using benchmarks::Fail;

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(std::string(status.message()));
}

template <typename T>
T Value(absl::StatusOr<T> result) {
  Check(result.status());
  return *std::move(result);
}

void WriteRows(const std::string& path, int64_t num_rows) {
  std::ofstream file(path);
  file << "time,a,b,c,class\n";
  for (int64_t row = 0; row < num_rows; ++row) {
    const double a = static_cast<double>(row * 7919 % 100'003) / 100'003;
    const double b = static_cast<double>(row * 104'729 % 99'991) / 99'991;
    const double c = static_cast<double>(row * 31 % 1009) / 1009;
    file << fmt::format("{},{:.6f},{:.6f},{:.6f},{}\n", 1'700'000'000 + row, a, b, c,
                        a + b > 1 ? "UP" : "DOWN");
  }
}

std::string WritePipeline(const std::string& folder) {
  const std::string path = folder + "/pipeline.yaml";
  std::string graph = kGraph;
  for (size_t at = 0; at < graph.size() - 1; at = graph.find('\n', at) + 1) {
    graph.insert(at, "    ");
  }
  std::ofstream(path) << R"(version: 1
name: rows
datasets:
  rows:
    path: .
    files: "rows.csv"
    format: {type: csv, header: true}
    event_time: {column: time, format: unix}
    label: {column: class, classes: [DOWN, UP]}
    settle: 0s
preprocess:
  dataset: rows
  graph:
)" << graph << R"(model: {type: mlp, hidden: [32], outputs: 2}
trigger: {type: amount, samples: 500000}
selection: {type: all_data, limit: 20000}
training: {device: cpu, epochs: 1, batch_size: 500, optimizer: {type: adam, lr: 1e-2}, loss: cross_entropy,
           warm_start: true, seed: 1}
)";
  return path;
}

// Runs `tidemill` and returns the peak of its memory in bytes.
int64_t Tidemill(const tests::Stack& stack, std::vector<std::string> words) {
  words.insert(words.begin(), tests::ProgramFolder() + "/tidemill");
  words.insert(words.end(), {"--quiet", "--state", stack.state()});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  if (posix_spawn(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    Fail("tidemill does not start");
  }
  int status = 0;
  rusage used = {};
  if (wait4(process, &status, 0, &used) != process || status != 0) Fail("tidemill failed");
  return used.ru_maxrss * 1024;
}

// The greatest peak of a process's resident memory in bytes since the last call of StartPeaks().
int64_t PeakOf(const std::vector<int>& processes) {
  int64_t peak = 0;
  for (const int process : processes) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string word; status >> word;) {
      int64_t kibibytes = 0;
      if (word == "VmHWM:" && status >> kibibytes) peak = std::max(peak, kibibytes * 1024);
    }
  }
  return peak;
}

void StartPeaks(const std::vector<int>& processes) {
  for (const int process : processes) {
    std::ofstream(fmt::format("/proc/{}/clear_refs", process)) << 5;
  }
}

// It is stopped however the program ends.
tests::Stack& TheStack() {
  static tests::Stack stack;
  return stack;
}

class Bench {
 public:
  Bench() {
    WriteRows(Path("rows.csv"), kRows);
    WriteRows(Path("tenth.csv"), kRows / 10);
    Tidemill(stack_, {"up"});
    Tidemill(stack_, {"run", WritePipeline(stack_.files())});
    // It starts the process that predicts.
    const auto said = stack_.Tidemill({"predict", "rows", "--input", Path("tenth.csv"), "--output",
                                       Path("predictions.csv"), "--json"});
    model_ = said.Json()["summary"]["model"];
    const storage::StorageClient storage(stack_.PeerOf("storage"));
    dataset_ = Value(storage.GetDataset("rows"));
    snapshot_ = Value(storage.SyncDataset(DatasetId{dataset_.dataset_id()}, nullptr));
  }

  double Predict(const std::string& rows) {
    cli_peak_ = Tidemill(
        stack_, {"predict", "rows", "--input", Path(rows), "--output", Path("predictions.csv")});
    return kRows;
  }

  double Evaluate() {
    evaluator::v1::StartEvaluationRequest request;
    request.mutable_command()->set_request_id(fmt::format("bench {}", ++num_evaluations_));
    request.mutable_command()->set_run_id(1);
    request.mutable_command()->set_run_epoch(1'000'000);
    request.set_evaluation(num_evaluations_);
    *request.mutable_snapshot() = snapshot_;
    request.set_dataset_name("rows");
    request.set_dataset_spec(dataset_.spec());
    request.set_graph(kGraph);
    request.add_model_ids(model_);
    request.add_windows();
    request.set_evaluation_spec(
        "{dataset: rows, windows: {type: whole}, models: all, measures: [accuracy]}");
    evaluator::EvaluatorClient evaluator(stack_.PeerOf("evaluator"));
    Check(evaluator.StartEvaluation(request));
    const auto last = Value(evaluator.WatchEvaluation(
        RunId{1}, num_evaluations_, [](const auto&) { return absl::OkStatus(); }));
    if (last.state() != evaluator::v1::EVALUATION_STATE_DONE) Fail(last.error());
    if (last.samples_done() != kRows) Fail("the evaluator measured other samples");
    return kRows;
  }

  void PrintPeaks() {
    for (const std::string rows : {"tenth.csv", "rows.csv"}) {
      const std::vector<int> evaluator = stack_.Processes("tidemill-evaluator");
      const std::vector<int> predictor = stack_.Processes("tidemill-evaluate");
      if (evaluator.empty() || predictor.empty()) Fail("the processes that predict are gone");
      StartPeaks(evaluator);
      StartPeaks(predictor);
      Predict(rows);
      fmt::print(stderr,
                 "{}: at most {} MiB in the command, {} in the evaluator, {} in its process\n",
                 rows, cli_peak_ >> 20, PeakOf(evaluator) >> 20, PeakOf(predictor) >> 20);
    }
  }

 private:
  std::string Path(const std::string& name) const { return stack_.files() + "/" + name; }

  tests::Stack& stack_ = TheStack();
  storage::v1::Dataset dataset_;
  rpc::v1::Snapshot snapshot_;
  int64_t model_ = 0;
  int32_t num_evaluations_ = 0;
  int64_t cli_peak_ = 0;
};

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  Bench bench;
  bench.PrintPeaks();
  benchmarks::Report(benchmarks::Measure(
      "predict_vs_evaluator", "rows/s", 1, [&] { return bench.Predict("rows.csv"); },
      [&] { return bench.Evaluate(); }, kRepetitions));
  return 0;
}
