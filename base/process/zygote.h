// Starts job processes in milliseconds: a program that takes long to load is executed once, before
// it has threads, and forks itself for every job.
//
//   ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start("/usr/bin/tidemill-train"));
//   ASSIGN_OR_RETURN(auto job, zygote->Spawn({"train", folder}));
//   while (auto line = job->ReadLine()) Handle(*line);   // What the job reported.
//   const process::JobExit exit = job->Wait();
//
// The program's own side is job_program.h. The zygote ends when its server does, whatever ends the
// server, and its jobs end with it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/local_socket.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemill::process {

// How a job ended.
struct JobExit {
  // Exactly one of these is set: the code it returned, the signal that killed it, or, when it could
  // not be forked or its zygote died, `lost` with the reason.
  std::optional<int> code = std::nullopt;
  std::optional<int> signal = std::nullopt;
  std::string lost = {};

  bool ok() const { return code == 0; }
  // "exited with code 2", "was killed by signal 9 (Killed)".
  std::string Describe() const;
};

class Zygote;

// One running job. ReadLine() and Wait() belong to one thread; Kill() may be called from any.
class Job {
 public:
  // Kills the job if it still runs.
  ~Job();

  // Waits for the next line that the job reports, without its newline. std::nullopt once the job
  // has ended (or closed its report) and every line was read. A line cut short by the job's death
  // is dropped.
  std::optional<std::string> ReadLine();

  // Waits for the end of the job. Repeated calls give the same answer.
  JobExit Wait();

  // Sends SIGKILL; nothing happens to a job that has ended.
  void Kill();

 private:
  friend class Zygote;
  Job(std::shared_ptr<const LocalSocket> control, int64_t number, Descriptor report,
      Descriptor exit);

  const std::shared_ptr<const LocalSocket> control_;  // Shared with the zygote that forked it.
  const int64_t number_;
  Descriptor report_;
  Descriptor exit_;
  std::string buffered_;
  std::optional<JobExit> ended_;
};

// How a job's process comes to be.
enum class SpawnMode {
  // Forked: starts in milliseconds.
  kFork,
  // Forked and executed anew: for jobs that use CUDA, which a fork cannot carry.
  kExecute,
};

// The server's handle to one zygote process. Thread-safe. The destructor ends the zygote and every
// job with it; a Job that outlives this object finds its process lost.
class Zygote {
 public:
  // Executes `program`, whose main() is RunJobProgram(). NOT_FOUND when there is no such program.
  static absl::StatusOr<std::unique_ptr<Zygote>> Start(const std::string& program);

  // Starts a job with these arguments. A zygote that has died is started again first.
  // INVALID_ARGUMENT for more than 64 KiB of arguments.
  absl::StatusOr<std::unique_ptr<Job>> Spawn(const std::vector<std::string>& arguments,
                                             SpawnMode mode = SpawnMode::kFork)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The zygote process, for tests.
  pid_t pid() const ABSL_LOCKS_EXCLUDED(mutex_);

  ~Zygote();

 private:
  explicit Zygote(std::string program) : program_(std::move(program)) {}
  void Reap() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Launch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string program_;
  mutable Mutex mutex_;
  std::shared_ptr<const LocalSocket> control_ ABSL_GUARDED_BY(mutex_);
  pid_t pid_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace tidemill::process
