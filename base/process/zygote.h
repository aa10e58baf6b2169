// Starts job processes in milliseconds. A program that takes long to load is executed once, with
// the first job, and forks itself for every job before it has threads.
//
//   ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start("/usr/bin/tidemill-train"));
//   ASSIGN_OR_RETURN(auto job, zygote->Spawn({"train", folder}));
//   while (auto line = job->ReadLine()) Handle(*line);   // What the job reported.
//   const process::JobExit exit = job->Wait();
//
// Zygote::Run() does these three, and kills a job that is stopped.
//
// job_program.h is the program's side. The zygote and its jobs end when its server ends, even when
// the server is killed.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/paths/local_socket.h"
#include "base/status.h"

namespace tidemill::process {

// How a job ended.
struct JobExit {
  // Exactly one of these is set: the returned code; the signal that killed it; or `lost` with the
  // reason, when it could not be forked or its zygote died.
  std::optional<int> code = std::nullopt;
  std::optional<int> signal = std::nullopt;
  std::string lost = {};
  // The time that the process, and its children that have ended before it, had on processors, in
  // nanoseconds. 0 when it is lost.
  int64_t processor_nanos = 0;

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

  // Waits for the next line that the job reports, without its newline. Returns std::nullopt when
  // the job has ended (or closed its report) and every line was read. A line that the job's death
  // cut short is dropped.
  std::optional<std::string> ReadLine();

  // Waits for the end of the job. Repeated calls return the same. The first one adds the time that
  // the process and its children had on processors to usage::Current() as a job's.
  JobExit Wait();

  // Sends SIGTERM, and SIGKILL after the grace. Does nothing when the job has ended.
  void End(int64_t grace_millis);
  // Sends SIGKILL.
  void Kill();

 private:
  friend class Zygote;
  Job(std::shared_ptr<const LocalSocket> control, int64_t number, Descriptor report,
      Descriptor exit);
  void Send(char what, const std::vector<std::string>& arguments);

  const std::shared_ptr<const LocalSocket> control_;  // Shared with the zygote that forked it.
  const int64_t number_;
  Descriptor report_;
  Descriptor exit_;
  std::string buffered_;
  std::optional<JobExit> ended_;
};

// How the process of a job is made.
enum class SpawnMode {
  // Forked: it starts in milliseconds.
  kFork,
  // Forked and executed again, for jobs that use CUDA, which does not survive a fork.
  kExecute,
};

// The server's handle to one zygote process. Thread-safe. The destructor ends the zygote and all
// its jobs. A Job that outlives this object reports its process as lost.
class Zygote {
 public:
  // Takes `program`, whose main() is RunJobProgram(). The first job executes it: a service without
  // jobs costs no libtorch. It gets the current environment, and from `defaults` (NAME=VALUE) the
  // variables that the environment does not have. NOT_FOUND when there is no such program, or it is
  // not executable.
  static absl::StatusOr<std::unique_ptr<Zygote>> Start(
      const std::string& program, const std::vector<std::string>& defaults = {});

  // Starts a job with these arguments. The zygote is started first when it does not run yet, or has
  // died. INVALID_ARGUMENT for more than 64 KiB of arguments. UNAVAILABLE when the program cannot
  // be executed at this time.
  absl::StatusOr<std::unique_ptr<Job>> Spawn(const std::vector<std::string>& arguments,
                                             SpawnMode mode = SpawnMode::kFork)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes a line that a job reports. A failure kills the job.
  using LineSink = std::function<absl::Status(const std::string& line)>;

  // Runs a job from its start to its end. Returns how it ended, or what `sink` failed with.
  // CANCELLED when `stop` is requested, which kills the job, unless it has succeeded before that.
  // After SetGrace(), the job gets SIGTERM first, and is killed if it has not ended by then.
  absl::StatusOr<JobExit> Run(const std::vector<std::string>& arguments, SpawnMode mode,
                              const LineSink& sink, const std::stop_token& stop)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // How long a job may take to end that is stopped from here on. Thread-safe.
  void SetGrace(std::chrono::milliseconds grace) { grace_ = grace.count(); }
  bool has_grace() const { return grace_ > 0; }

  // Returns the zygote process, for tests. 0 before the first job.
  pid_t pid() const ABSL_LOCKS_EXCLUDED(mutex_);

  ~Zygote();

 private:
  Zygote(std::string program, std::vector<std::string> environment)
      : program_(std::move(program)), environment_(std::move(environment)) {}
  void Reap() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Launch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string program_;
  const std::vector<std::string> environment_;
  std::atomic<int64_t> grace_ = 0;  // Milliseconds.
  mutable Mutex mutex_;
  std::shared_ptr<const LocalSocket> control_ ABSL_GUARDED_BY(mutex_);
  pid_t pid_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace tidemill::process
