#include "tests/prepared_set.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <utility>

#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/config.h"
#include "preprocess/worker/job_opener.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"

namespace tidemill::tests {
namespace {

using ::tidemill::testing::IsOk;

constexpr char kDataset[] = R"(path: {}
files: "numbers*.csv"
format: {{type: csv, header: true}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{column: class, classes: [third, other]}}
settle: 0s
)";

constexpr char kGraph[] =
    "- parse_csv: {columns: [a, b], dtype: float32}\n"
    "- stack: {columns: all, into: input}\n"
    "- label: {into: target}\n";

constexpr char kTextGraph[] =
    "- parse_csv: {{columns: [text], dtype: string}}\n"
    "- hash_tokens: {{column: text, buckets: 1000, length: {}, into: input}}\n"
    "- label: {{into: target}}\n";

// An operator's, and the conductor's of a run.
rpc::v1::Command NewRequest() {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  return command;
}
rpc::v1::Command NewCommand() {
  rpc::v1::Command command = NewRequest();
  command.set_run_id(1);
  command.set_run_epoch(1);
  return command;
}

}  // namespace

int64_t NumWords(int64_t row) {
  const double radius = std::sqrt(-2 * std::log(1 - RandomUnit({.purpose = "radius"}, row)));
  const double angle = 2 * std::numbers::pi * RandomUnit({.purpose = "angle"}, row);
  return std::clamp<int64_t>(std::lround(std::exp(2.5 + 1.0 * radius * std::cos(angle))), 1,
                             PreparedSet::kTextWidth);
}

PreparedSet::PreparedSet(int64_t num_samples, int num_workers,
                         const std::map<std::string, std::string>& environment,
                         const RowFiles& files, const std::string& config) {
  if (!config.empty()) {
    std::filesystem::create_directories(stack_.state());
    std::ofstream(stack_.state() + "/tidemill.yaml") << config;
  }
  std::map<std::string, std::string> all = environment;
  if (num_workers > 0) all["TIDEMILL_WORKERS"] = std::to_string(num_workers);
  // What goes wrong here fails this test: value() is an exception, an asterisk would end the
  // program.
  const CommandResult up = stack_.Tidemill({"up"}, all);
  EXPECT_EQ(up.exit_code, 0) << up.err << stack_.Logs();
  std::ofstream(stack_.state() + "/data_roots") << stack_.files() << "\n";
  WriteFiles(num_samples, files);

  const storage::StorageClient operators(stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR));
  const storage::StorageClient storage(stack_.PeerOf("storage"));
  const auto registered =
      operators.RegisterDataset("numbers", fmt::format(kDataset, stack_.files()), NewRequest());
  EXPECT_THAT(registered, IsOk());
  dataset_id_ = registered.value().dataset_id();
  const auto known = storage.GetDataset("numbers");
  EXPECT_THAT(known, IsOk());
  dataset_spec_ = known.value().spec();
  const auto snapshot = storage.SyncDataset(DatasetId{dataset_id_}, [](const auto&) {});
  EXPECT_THAT(snapshot, IsOk());

  selector::SelectorClient selector(stack_.PeerOf("selector"));
  selector::v1::SealTrainingSetRequest seal;
  *seal.mutable_command() = NewCommand();
  seal.set_trigger(1);
  *seal.mutable_snapshot() = snapshot.value();
  seal.mutable_to()->set_event_time(std::numeric_limits<int64_t>::max());
  seal.set_selection("{type: balanced, fraction: 0.9, weights: inverse_probability}");
  seal.set_seed(5);
  EXPECT_THAT(selector.SealTrainingSet(seal), IsOk());
}

void PreparedSet::WriteFiles(int64_t num_samples, const RowFiles& files) const {
  int64_t row = 0;
  for (int64_t file = 1; file <= files.num_files; ++file) {
    std::ofstream data(fmt::format("{}/numbers{}.csv", stack_.files(), file));
    data << "a,b,text,class\n";
    const int64_t end = num_samples * file * (file + 1) / (files.num_files * (files.num_files + 1));
    for (; row < end; ++row) {
      data << row << "," << row % 1000 << ",";
      const int64_t num_words = files.texts == RowTexts::kLogNormal ? NumWords(row) : 0;
      for (int64_t word = 0; word < num_words; ++word) data << "w" << (row + word) % 900 << " ";
      data << "," << (row % 3 == 0 ? "third" : "other") << "\n";
    }
  }
}

PreparedSet::~PreparedSet() {
  for (const int process : processes_) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

preprocess::JobSpec PreparedSet::Job(int64_t batch_size, int64_t epochs,
                                     const std::string& ops) const {
  return {.run_id = 1,
          .trigger = 1,
          .dataset_id = dataset_id_,
          .dataset = dataset_spec_,
          .graph = ops + kGraph,
          .batch_size = batch_size,
          .epochs = epochs,
          .seed = 17};
}

preprocess::JobSpec PreparedSet::TextJob(int64_t batch_size, int64_t epochs) const {
  preprocess::JobSpec job = Job(batch_size, epochs);
  job.graph = fmt::format(kTextGraph, kTextWidth);
  return job;
}

loader::BatchPlan PreparedSet::PlanOf(const preprocess::JobSpec& job, int64_t lane, int64_t first) {
  loader::BatchPlan plan = preprocess::PlanOf(job, lane);
  plan.first_batch = first;
  return plan;
}

std::unique_ptr<const loader::BatchMaker> PreparedSet::MakerOf(const preprocess::JobSpec& job,
                                                               int64_t lane, int64_t first) const {
  auto opened = Open(job);
  EXPECT_THAT(opened, IsOk());
  loader::BatchPlan plan = preprocess::PlanOf(job, opened.value().division, lane);
  plan.first_batch = first;
  auto maker = loader::BatchMaker::Create(std::move(opened->parts), plan);
  EXPECT_THAT(maker, IsOk());
  return std::move(maker).value();
}

absl::StatusOr<preprocess::OpenedJob> PreparedSet::Open(const preprocess::JobSpec& job) const {
  const auto open = preprocess::MakeJobOpener(stack_.PeerOf("selector"), stack_.PeerOf("storage"));
  preprocess::v1::GetJobResponse known;
  known.set_spec(config::Print(job));
  return open(known);
}

std::unique_ptr<preprocess::ShardedSource> PreparedSet::ConsumeShards(
    const preprocess::JobSpec& job, int64_t first_batch,
    preprocess::WorkerSourceOptions options) const {
  options.dispatcher = stack_.PeerOf("preprocess");
  options.job_name = "test/" + rpc::NewRequestId();
  const auto opened = Open(job);
  EXPECT_THAT(opened, IsOk());
  auto source = preprocess::ShardedSource::Open(job, "", opened.value().parts, opened->division,
                                                PlanOf(job, 0, first_batch), options);
  EXPECT_THAT(source, IsOk()) << stack_.Logs();
  return std::move(source).value();
}

std::unique_ptr<preprocess::WorkerSource> PreparedSet::Consume(
    const preprocess::JobSpec& job, int64_t lane, int64_t first_batch,
    preprocess::WorkerSourceOptions options) const {
  options.dispatcher = stack_.PeerOf("preprocess");
  if (options.job_name.empty()) options.job_name = "test/" + rpc::NewRequestId();
  auto source = preprocess::WorkerSource::Open(job, "", MakerOf(job, lane, first_batch), options);
  EXPECT_THAT(source, IsOk()) << stack_.Logs();
  return std::move(source).value();
}

std::vector<loader::TrainingBatch> PreparedSet::Expected(const preprocess::JobSpec& job,
                                                         int64_t lane) const {
  const auto maker = MakerOf(job, lane, 0);
  auto made = maker->Make(0, maker->end(), {});
  EXPECT_THAT(made, IsOk());
  return std::move(made).value();
}

int PreparedSet::StartWorker(const std::string& name,
                             const std::map<std::string, std::string>& environment) {
  const std::string program = ProgramFolder() + "/tidemill-preprocess-worker";
  const std::string config = stack_.state() + "/tidemill.yaml";
  const std::string listen = "unix:" + stack_.files() + "/" + name;
  const std::string log = stack_.state() + "/logs/" + name + ".log";
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [key, value] : environment) setenv(key.c_str(), value.c_str(), 1);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), "--config", config.c_str(), "--listen", listen.c_str(),
          nullptr);
    _exit(127);
  }
  processes_.push_back(child);
  return child;
}

void PreparedSet::AwaitRegistration(const std::string& name) const {
  while (true) {
    const auto known = Dispatcher().ListWorkers();
    ASSERT_THAT(known, IsOk());
    for (const auto& worker : known->workers()) {
      const bool is_it = worker.name().find(name) != std::string::npos;
      if (is_it && worker.state() == preprocess::v1::WORKER_STATE_ALIVE) return;
    }
  }
}

int PreparedSet::AwaitWorker(int process) {
  int status = -1;
  waitpid(process, &status, 0);
  std::erase(processes_, process);
  return status;
}

void PreparedSet::DrainWorkers() const {
  const auto known = Dispatcher().ListWorkers();
  EXPECT_THAT(known, IsOk());
  for (const auto& worker : known.value().workers()) {
    EXPECT_THAT(Dispatcher().DrainWorker(worker.incarnation().worker_id()), IsOk());
  }
}

preprocess::DispatcherClient PreparedSet::Dispatcher() const {
  return preprocess::DispatcherClient(stack_.PeerOf("preprocess"));
}

std::string Describe(const loader::TrainingBatch& batch) {
  return fmt::format("epoch {} batch {} rows {} skipped {} {}", batch.epoch, batch.index,
                     batch.rows.num_rows(), batch.num_skipped,
                     batch.rows.num_rows() == 0 ? "" : Sha256(batch::Encode(batch.rows)));
}

std::vector<std::string> ReadAll(loader::BatchSource& source) {
  std::vector<std::string> batches;
  while (true) {
    const auto next = source.Next();
    EXPECT_THAT(next, IsOk());
    if (!next.ok() || !*next) return batches;
    batches.push_back(Describe(**next));
  }
}

}  // namespace tidemill::tests
