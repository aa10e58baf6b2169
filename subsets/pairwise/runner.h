// Who carries out tasks: threads of this process, or worker processes.
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
  // Does all the tasks, in any order; the results are in the order of the tasks. The error is that
  // of the first task, in that order, that has one.
  virtual absl::StatusOr<std::vector<TaskResult>> Run(std::span<const Task> tasks) = 0;
  // Tasks that were done again because their worker had died.
  virtual int64_t num_repeated() const { return 0; }
};

// In this process, by the caller's thread and those of `pool`, which may be nullptr.
std::unique_ptr<TaskRunner> RunInThisProcess(const Problem& problem, AnyGraph graph,
                                             std::string folder, WorkerPool* pool);

struct WorkerOptions {
  // tidemill-select-worker.
  std::string program;
  // How many run at a time.
  int64_t count = 2;
  // Bytes of memory of its own that each may have (RLIMIT_DATA); 0 for any number.
  int64_t memory = 0;
};

// Each task in a process of its own, forked from a zygote. A worker that is killed has its task
// done again by another one; INTERNAL when that happens to one task five times. NOT_FOUND when
// there is no such program. `folder` holds kProblemFile.
absl::StatusOr<std::unique_ptr<TaskRunner>> RunInWorkers(const WorkerOptions& options,
                                                         std::string folder);

}  // namespace tidemill::subsets
