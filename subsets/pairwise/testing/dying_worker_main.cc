// A worker that is killed in the middle of the first task of each kind, when half of the work is
// done; in a folder with a file `always`, in the middle of every task.
#include <fcntl.h>
#include <signal.h>

#include "base/files.h"
#include "base/process/job_program.h"
#include "subsets/pairwise/task_text.h"
#include "subsets/pairwise/tasks.h"
#include "subsets/pairwise/worker.h"

namespace tidemill::subsets {
namespace {

// Half of the range, or all of a part, which is not reported.
template <typename T>
T HalfOf(T task) {
  if constexpr (requires { task.range; }) {
    NodeRange& range = task.range;
    range.to = range.from + (range.to - range.from) / 128 * 64;
  }
  return task;
}

bool IsFirstOfItsKind(const std::string& folder, const Task& task) {
  const std::string path =
      files::Join(folder, IndexedFile("died", static_cast<int64_t>(task.index())));
  return ::open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0;
}

int RunDyingJob(const std::vector<std::string>& arguments, process::Report& report) {
  const std::string& folder = arguments.at(0);
  const absl::StatusOr<Task> task = DecodeTask(arguments.at(2));
  const bool dies = files::Exists(files::Join(folder, "always")) || IsFirstOfItsKind(folder, *task);
  if (!dies) return RunWorkerJob(arguments, report);
  const auto problem = DecodeProblem(*files::Read(files::Join(folder, kProblemFile)));
  const auto graph = OpenGraph(problem->graph);
  const Task half = std::visit([](const auto& held) { return Task(HalfOf(held)); }, *task);
  (void)RunTask(*problem, *graph, folder, 0, half);
  return raise(SIGKILL);
}

}  // namespace
}  // namespace tidemill::subsets

int main(int argc, char** argv) {
  return tidemill::process::RunJobProgram(argc, argv, tidemill::subsets::RunDyingJob);
}
