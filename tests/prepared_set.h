// A stack with workers and a sealed training set, for tests of how its batches reach consumers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loader/batch_source.h"
#include "preprocess/client/sharded_source.h"
#include "preprocess/client/worker_source.h"
#include "preprocess/worker/worker_job.h"
#include "tests/stack.h"

namespace tidemill::tests {

// What a row has besides its numbers.
enum class RowTexts {
  kEmpty,
  kLogNormal,  // A text with a log-normal number of words: 20 on average, 12 in the median.
};

// The rows are in several files, one after another. Each file is longer than the one before.
struct RowFiles {
  int num_files = 1;
  RowTexts texts = RowTexts::kEmpty;
};

// A set of 90 % of the rows "number,number,text,class" of CSV files, weighted by class. Every third
// row is of class 0. Thread-compatible.
class PreparedSet {
 public:
  // Starts the stack with `num_workers` workers and these variables in its environment. `config`
  // has sections of the system configuration.
  PreparedSet(int64_t num_samples, int num_workers,
              const std::map<std::string, std::string>& environment = {},
              const RowFiles& files = {}, const std::string& config = "");
  ~PreparedSet();

  // Returns a pass over the set. `ops`, as YAML list items, may precede its graph.
  preprocess::JobSpec Job(int64_t batch_size, int64_t epochs, const std::string& ops = "") const;

  // Returns a pass over the texts. A row has at most kTextWidth token ids, none of which is 0.
  preprocess::JobSpec TextJob(int64_t batch_size, int64_t epochs) const;
  static constexpr int64_t kTextWidth = 256;

  // Returns the plan of a lane from a batch on.
  static loader::BatchPlan PlanOf(const preprocess::JobSpec& job, int64_t lane, int64_t first);

  // Opens a consumer of a lane. Fails the test when that fails.
  std::unique_ptr<preprocess::WorkerSource> Consume(
      const preprocess::JobSpec& job, int64_t lane = 0, int64_t first_batch = 0,
      preprocess::WorkerSourceOptions options = {}) const;

  // Opens the job as a worker would.
  absl::StatusOr<preprocess::OpenedJob> Open(const preprocess::JobSpec& job) const;

  // Opens a consumer of all lanes of a job with shards.
  std::unique_ptr<preprocess::ShardedSource> ConsumeShards(
      const preprocess::JobSpec& job, int64_t first_batch = 0,
      preprocess::WorkerSourceOptions options = {}) const;

  // Returns the batches of a lane, made in this process.
  std::vector<loader::TrainingBatch> Expected(const preprocess::JobSpec& job,
                                              int64_t lane = 0) const;

  // Starts one more worker than the stack keeps. It ends with this object. Returns its process.
  int StartWorker(const std::string& name,
                  const std::map<std::string, std::string>& environment = {});
  // Waits until the dispatcher knows a worker from StartWorker().
  void AwaitRegistration(const std::string& name) const;
  // Waits for a process from StartWorker(). Returns its exit status as waitpid() does.
  int AwaitWorker(int process);

  // Drains the current workers.
  void DrainWorkers() const;

  const Stack& stack() const { return stack_; }
  preprocess::DispatcherClient Dispatcher() const;

 private:
  void WriteFiles(int64_t num_samples, const RowFiles& files) const;
  std::unique_ptr<const loader::BatchMaker> MakerOf(const preprocess::JobSpec& job, int64_t lane,
                                                    int64_t first) const;

  Stack stack_;
  int64_t dataset_id_ = 0;
  std::string dataset_spec_;
  std::vector<int> processes_;
};

// Returns the number of words of a row. It is log-normal, at least one and at most
// PreparedSet::kTextWidth.
int64_t NumWords(int64_t row);

// Returns the ordinals and all columns of a batch as text. It is equal for equal batches, bit by
// bit.
std::string Describe(const loader::TrainingBatch& batch);

// Returns all batches of a source, described. Fails the test on an error.
std::vector<std::string> ReadAll(loader::BatchSource& source);

}  // namespace tidemill::tests
