// Runs tasks, on threads of this process or in worker processes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "subsets/pairwise/tasks.h"

namespace tidemill::subsets {

// Thread-compatible.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  // Runs all tasks in any order. The results are in the order of the tasks. When several tasks
  // fail, returns the error of the first one in that order.
  virtual absl::StatusOr<std::vector<TaskResult>> Run(std::span<const Task> tasks) = 0;
  // The number of tasks that were repeated because their worker had died.
  virtual int64_t num_repeated() const { return 0; }
};

// Runs tasks in this process, on the caller's thread and on the threads of `pool`, which may be
// nullptr.
std::unique_ptr<TaskRunner> RunInThisProcess(const Problem& problem, AnyGraph graph,
                                             std::string folder, WorkerPool* pool);

struct WorkerOptions {
  // The program tidemill-select-worker.
  std::string program;
  // The number of workers that run at a time.
  int64_t count = 2;
  // The bytes of private memory that each may have (RLIMIT_DATA); 0 for no limit.
  int64_t memory = 0;
};

// Runs each task in its own process, forked from a zygote. When a worker is killed, another one
// repeats its task. INTERNAL when that happens to one task five times. NOT_FOUND when there is no
// such program. `folder` has kProblemFile.
absl::StatusOr<std::unique_ptr<TaskRunner>> RunInWorkers(const WorkerOptions& options,
                                                         std::string folder);

}  // namespace tidemill::subsets
