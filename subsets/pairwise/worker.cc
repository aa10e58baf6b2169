#include "subsets/pairwise/worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "base/files.h"
#include "subsets/pairwise/task_text.h"
#include "subsets/pairwise/tasks.h"

namespace tidemill::subsets {
namespace {

// Sanitizers reserve terabytes, which would count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::string ErrorLine(const absl::Status& status) {
  return fmt::format("error {} {}", static_cast<int>(status.code()), std::string(status.message()));
}

// The state of the handler of exhausted memory, which gets no arguments.
process::Report* reporting = nullptr;
int64_t memory_limit = 0;

// Says why and ends the process: nothing could be done without the memory.
void OutOfMemory() {
  // The sentence itself takes some.
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
  reporting->Line(ErrorLine(ResourceExhausted(
      "a worker may hold {} MiB, which is not enough: use more partitions or give workers more "
      "memory",
      memory_limit >> 20)));
  _exit(1);
}

absl::Status LimitMemory() {
  if (memory_limit == 0 || kSanitized) return absl::OkStatus();
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = static_cast<rlim_t>(memory_limit);
  if (setrlimit(RLIMIT_DATA, &limit) != 0) {
    return Internal("cannot limit a worker to {} bytes of memory", memory_limit);
  }
  std::set_new_handler(OutOfMemory);
  return absl::OkStatus();
}

absl::StatusOr<TaskResult> RunArguments(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3) {
    return InvalidArgument("usage: usage: a worker takes a folder, its memory in bytes and a task");
  }
  const std::string& folder = arguments[0];
  memory_limit = std::strtoll(arguments[1].c_str(), nullptr, 10);
  RETURN_IF_ERROR(LimitMemory());
  ASSIGN_OR_RETURN(const std::string text, files::Read(files::Join(folder, kProblemFile)));
  ASSIGN_OR_RETURN(const Problem problem, DecodeProblem(text));
  ASSIGN_OR_RETURN(const AnyGraph graph, OpenGraph(problem.graph));
  ASSIGN_OR_RETURN(const Task task, DecodeTask(arguments[2]));
  return RunTask(problem, graph, folder, memory_limit, task);
}

}  // namespace

int RunWorkerJob(const std::vector<std::string>& arguments, process::Report& report) {
  reporting = &report;
  const absl::StatusOr<TaskResult> result = RunArguments(arguments);
  report.Line(result.ok() ? EncodeResult(*result) : ErrorLine(result.status()));
  return result.ok() ? 0 : 1;
}

}  // namespace tidemill::subsets
