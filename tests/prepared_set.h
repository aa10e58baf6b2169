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

// What a row has beside its numbers.
enum class RowTexts {
  kEmpty,
  kLogNormal,  // A text of a log-normal number of words: 20 on average, 12 in the median.
};

// The rows lie in so many files, one behind another, each file longer than the one before.
struct RowFiles {
  int num_files = 1;
  RowTexts texts = RowTexts::kEmpty;
};

// A set of 90 % of the rows "number,number,text,class" of CSV files, weighted by class: every third
// row is of class 0. Thread-compatible.
class PreparedSet {
 public:
  // Starts the stack with so many workers and these variables in its environment.
  PreparedSet(int64_t num_samples, int num_workers,
              const std::map<std::string, std::string>& environment = {},
              const RowFiles& files = {});
  ~PreparedSet();

  // A pass over the set; its graph may be preceded by ops, as YAML list items.
  preprocess::JobSpec Job(int64_t batch_size, int64_t epochs, const std::string& ops = "") const;

  // A pass over the texts, as at most kTextWidth token ids, which are not 0, in a row.
  preprocess::JobSpec TextJob(int64_t batch_size, int64_t epochs) const;
  static constexpr int64_t kTextWidth = 256;

  // The plan of a lane, from a batch on.
  static loader::BatchPlan PlanOf(const preprocess::JobSpec& job, int64_t lane, int64_t first);

  // A consumer of a lane. Fails the test when it cannot be opened.
  std::unique_ptr<preprocess::WorkerSource> Consume(
      const preprocess::JobSpec& job, int64_t lane = 0, int64_t first_batch = 0,
      preprocess::WorkerSourceOptions options = {}) const;

  // What a worker would make of the job.
  absl::StatusOr<preprocess::OpenedJob> Open(const preprocess::JobSpec& job) const;

  // A consumer of all lanes of a job of shards.
  std::unique_ptr<preprocess::ShardedSource> ConsumeShards(
      const preprocess::JobSpec& job, int64_t first_batch = 0,
      preprocess::WorkerSourceOptions options = {}) const;

  // The batches of a lane, made in this process.
  std::vector<loader::TrainingBatch> Expected(const preprocess::JobSpec& job,
                                              int64_t lane = 0) const;

  // Starts one more worker than the stack keeps; ends with this object. Returns its process.
  int StartWorker(const std::string& name,
                  const std::map<std::string, std::string>& environment = {});
  // Waits for a process that StartWorker() gave; returns its exit status as waitpid() does.
  int AwaitWorker(int process);

  // Takes the workers that there are now out of service.
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

// So many words, log-normal, for a row: at most PreparedSet::kTextWidth, at least one.
int64_t NumWords(int64_t row);

// Ordinals and all columns of a batch as text, equal for equal batches, bit by bit.
std::string Describe(const loader::TrainingBatch& batch);

// All batches of a source, described; fails the test on an error.
std::vector<std::string> ReadAll(loader::BatchSource& source);

}  // namespace tidemill::tests
