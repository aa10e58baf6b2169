#include "subsets/pairwise/runner.h"

#include <atomic>
#include <optional>
#include <utility>

#include "base/process/zygote.h"
#include "subsets/pairwise/task_text.h"

namespace tidemill::subsets {
namespace {

// A worker that dies so often does not do so by chance.
constexpr int kAttempts = 5;

absl::StatusOr<std::vector<TaskResult>> AllOf(
    std::vector<std::optional<absl::StatusOr<TaskResult>>> results) {
  std::vector<TaskResult> all;
  all.reserve(results.size());
  for (auto& result : results) {
    ASSIGN_OR_RETURN(all.emplace_back(), *std::move(result));
  }
  return all;
}

class InThisProcess final : public TaskRunner {
 public:
  InThisProcess(const Problem& problem, AnyGraph graph, std::string folder, WorkerPool* pool)
      : problem_(problem), graph_(std::move(graph)), folder_(std::move(folder)), pool_(pool) {}

  absl::StatusOr<std::vector<TaskResult>> Run(std::span<const Task> tasks) override {
    std::vector<std::optional<absl::StatusOr<TaskResult>>> results(tasks.size());
    const auto run = [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      results[at] = RunTask(problem_, graph_, folder_, 0, tasks[at]);
    };
    if (pool_ != nullptr) {
      pool_->ParallelFor(std::ssize(tasks), run);
    } else {
      for (int64_t i = 0; i < std::ssize(tasks); ++i) run(i);
    }
    return AllOf(std::move(results));
  }

 private:
  const Problem problem_;
  const AnyGraph graph_;
  const std::string folder_;
  WorkerPool* const pool_;
};

// The output of a worker before it ended.
absl::StatusOr<TaskResult> Reported(const std::string& line) {
  int code = 0;
  int length = 0;
  if (std::sscanf(line.c_str(), "error %d %n", &code, &length) == 1) {
    return absl::Status(static_cast<absl::StatusCode>(code),
                        line.substr(static_cast<size_t>(length)));
  }
  return DecodeResult(line);
}

class InWorkers final : public TaskRunner {
 public:
  InWorkers(const WorkerOptions& options, std::string folder,
            std::unique_ptr<process::Zygote> zygote)
      : options_(options),
        folder_(std::move(folder)),
        zygote_(std::move(zygote)),
        waiting_("select_workers", static_cast<int>(options.count) - 1) {}

  absl::StatusOr<std::vector<TaskResult>> Run(std::span<const Task> tasks) override {
    std::vector<std::optional<absl::StatusOr<TaskResult>>> results(tasks.size());
    waiting_.ParallelFor(std::ssize(tasks), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      results[at] = RunOne(tasks[at]);
    });
    return AllOf(std::move(results));
  }

  int64_t num_repeated() const override { return num_repeated_.load(); }

 private:
  absl::StatusOr<TaskResult> RunOne(const Task& task) {
    const std::vector<std::string> arguments = {folder_, std::to_string(options_.memory),
                                                EncodeTask(task)};
    std::string last;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt > 0) ++num_repeated_;
      ASSIGN_OR_RETURN(const std::unique_ptr<process::Job> job, zygote_->Spawn(arguments));
      const std::optional<std::string> line = job->ReadLine();
      const process::JobExit exit = job->Wait();
      if (line) return Reported(*line);
      last = exit.Describe();
    }
    return Internal(
        "the worker {} {}, {} times over; if the machine has run out of memory, use more "
        "partitions or fewer workers",
        Describe(task), last, kAttempts);
  }

  const WorkerOptions options_;
  const std::string folder_;
  const std::unique_ptr<process::Zygote> zygote_;
  std::atomic<int64_t> num_repeated_ = 0;
  // A thread waits for each worker.
  WorkerPool waiting_;
};

}  // namespace

std::unique_ptr<TaskRunner> RunInThisProcess(const Problem& problem, AnyGraph graph,
                                             std::string folder, WorkerPool* pool) {
  return std::make_unique<InThisProcess>(problem, std::move(graph), std::move(folder), pool);
}

absl::StatusOr<std::unique_ptr<TaskRunner>> RunInWorkers(const WorkerOptions& options,
                                                         std::string folder) {
  if (options.count < 1) return InvalidArgument("{} workers cannot select", options.count);
  ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start(options.program));
  return std::make_unique<InWorkers>(options, std::move(folder), std::move(zygote));
}

}  // namespace tidemill::subsets
