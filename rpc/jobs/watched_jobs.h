// The jobs that a service has queued, runs or remembers, and the calls that watch them.
//
//            Add()          Begin()           End()           Forget()
//   (none) --------> queued --------> running --------> ended --------> (none)
//                      |                                  ^
//                      +------------- Stop() -------------+
//
//   WatchedJobs<Key, v1::WatchTrainingResponse> jobs("trainer server");
//   const Jobs::SharedJob job = jobs.Add(key, queued)->job;
//   slots.Submit([&jobs, job] {
//     if (jobs.Begin(*job, ...)) jobs.End(*job, RunProcess(job->stop()), ...);
//   });
//
// Each change of a job's progress has a number, its version. A watch sleeps until there is a later
// version than the one it has shown. A slow watch may skip changes, but never the last one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"

namespace tidemill::rpc {

// `Key` is ordered. `Progress` is what a watch shows, a message. Thread-safe. It starts no threads
// and no processes: its owner runs the jobs, and must have ended them before it destroys this
// object.
template <typename Key, typename Progress>
class WatchedJobs {
 public:
  // Changes the progress of a job, under the lock.
  using Change = std::function<void(Progress&)>;
  // Shows a progress. Returns false to end the watch.
  using Show = std::function<bool(const Progress&)>;

  // A job. The task that runs it and the calls that watch it share it.
  class Job {
   public:
    Job(Key key, Progress progress) : key_(std::move(key)), progress_(std::move(progress)) {}

    const Key& key() const { return key_; }
    // Is requested when the job is stopped. The process of the job has to be killed then.
    std::stop_token stop() const { return stop_.get_token(); }

   private:
    friend class WatchedJobs;
    enum class Phase { kQueued, kRunning, kEnded };

    const Key key_;
    std::stop_source stop_;  // It synchronises itself.
    // The lock of the jobs guards these.
    Progress progress_;
    int64_t version_ = 1;
    Phase phase_ = Phase::kQueued;
    bool run_again_ = false;
    absl::Status ended_;
  };
  using SharedJob = std::shared_ptr<Job>;

  // What Add() does when the job of the key is queued or runs already.
  enum class IfActive {
    kJoin,      // Nothing.
    kRunAgain,  // Its next End() does not end it.
  };
  struct Added {
    SharedJob job;
    bool is_new = false;
  };

  // `owner` names the service in messages.
  explicit WatchedJobs(std::string owner) : owner_(std::move(owner)) {}
  WatchedJobs(const WatchedJobs&) = delete;
  WatchedJobs& operator=(const WatchedJobs&) = delete;

  // Returns the job of the key that is queued or runs. When there is none, adds one that is queued
  // and takes the place of one that has ended. UNAVAILABLE after Shutdown().
  absl::StatusOr<Added> Add(const Key& key, Progress first, IfActive if_active = IfActive::kJoin)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (shut_down_) return Stopping();
    SharedJob& known = jobs_[key];
    if (known != nullptr && IsActive(*known)) {
      known->run_again_ |= if_active == IfActive::kRunAgain;
      return Added{.job = known};
    }
    known = std::make_shared<Job>(key, std::move(first));
    return Added{.job = known, .is_new = true};
  }

  // Returns the job that was added last, unless it was forgotten; then nullptr.
  SharedJob Find(const Key& key) const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const auto found = jobs_.find(key);
    return found == jobs_.end() ? nullptr : found->second;
  }

  // Declares that a queued job has a slot. Returns false when it has already ended.
  bool Begin(Job& job, const Change& change) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (!IsActive(job)) return false;
    job.phase_ = Job::Phase::kRunning;
    Apply(job, change);
    return true;
  }

  void Update(Job& job, const Change& change) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    Apply(job, change);
  }

  // Ends a job. Returns false, and leaves it running, when it is to run again. Without `change`,
  // watches end without showing anything.
  bool End(Job& job, absl::Status ended, const Change& change = nullptr)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (std::exchange(job.run_again_, false)) return false;
    Close(job, std::move(ended), change);
    return true;
  }

  // Stops a job and waits until it has ended. A queued one ends at once, with CANCELLED and
  // `if_queued`; its Begin() will return false.
  void Stop(Job& job, const Change& if_queued) ABSL_LOCKS_EXCLUDED(mutex_) {
    job.stop_.request_stop();
    MutexLock lock(mutex_);
    if (job.phase_ == Job::Phase::kQueued) {
      Close(job, Cancelled("it was stopped while it waited for a slot"), if_queued);
    }
    while (IsActive(job)) changed_.wait(mutex_);
  }

  // Shows the current progress and each later one, until the job ends, `show` returns false or, as
  // is asked now and then, `alive` does. UNAVAILABLE after Shutdown(), and when `alive` is false.
  absl::Status Watch(const Job& job, const Show& show, const std::function<bool()>& alive)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    int64_t seen = 0;
    while (true) {
      if (!alive()) return Unavailable("the watch has ended");
      Progress progress;
      bool is_last = false;
      {
        MutexLock lock(mutex_);
        if (job.version_ == seen && IsActive(job) && !shut_down_) {
          changed_.wait_for(mutex_, kWakeUp);
        }
        if (shut_down_) return Stopping();
        if (job.version_ == seen && !IsActive(job)) return absl::OkStatus();
        if (job.version_ == seen) continue;
        seen = job.version_;
        progress = job.progress_;
        is_last = !IsActive(job);
      }
      if (!show(progress) || is_last) return absl::OkStatus();
    }
  }

  // Waits until the job has ended. Returns what it ended with; UNAVAILABLE for one that Shutdown()
  // has stopped.
  absl::Status AwaitEnd(const Job& job) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (IsActive(job)) changed_.wait(mutex_);
    if (shut_down_ && !job.ended_.ok()) return Stopping();
    return job.ended_;
  }

  // Returns what the job ended with; std::nullopt while it has not.
  std::optional<absl::Status> EndOf(const Job& job) const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    return IsActive(job) ? std::nullopt : std::optional(job.ended_);
  }

  // Forgets a job that has ended, unless another one has taken its place.
  void Forget(const Job& job) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const auto found = jobs_.find(job.key());
    if (found != jobs_.end() && found->second.get() == &job && !IsActive(job)) jobs_.erase(found);
  }

  // Forgets the jobs of the keys from `first` to before `end` that have ended.
  void ForgetEnded(const Key& first, const Key& end) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    for (auto it = jobs_.lower_bound(first), last = jobs_.lower_bound(end); it != last;) {
      it = IsActive(*it->second) ? std::next(it) : jobs_.erase(it);
    }
  }

  // Returns the jobs of the keys from `first` to before `end`.
  std::vector<SharedJob> List(const Key& first, const Key& end) const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    std::vector<SharedJob> listed;
    for (auto it = jobs_.lower_bound(first), last = jobs_.lower_bound(end); it != last; ++it) {
      listed.push_back(it->second);
    }
    return listed;
  }

  // Requests the stop of a job and does not wait.
  static void RequestStop(Job& job) { job.stop_.request_stop(); }

  // Requests the stop of all jobs, and ends all watches. Does not wait.
  void Shutdown() ABSL_LOCKS_EXCLUDED(mutex_) {
    std::vector<SharedJob> stopped;
    {
      MutexLock lock(mutex_);
      shut_down_ = true;
      for (const auto& [key, job] : jobs_) stopped.push_back(job);
      changed_.notify_all();
    }
    for (const SharedJob& job : stopped) RequestStop(*job);
  }

 private:
  // How often a watch checks whether its caller is still connected.
  static constexpr std::chrono::milliseconds kWakeUp{200};

  static bool IsActive(const Job& job) { return job.phase_ != Job::Phase::kEnded; }
  absl::Status Stopping() const { return Unavailable("the {} is stopping", owner_); }

  void Apply(Job& job, const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (change) {
      change(job.progress_);
      ++job.version_;
    }
    changed_.notify_all();
  }

  void Close(Job& job, absl::Status ended, const Change& change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    job.phase_ = Job::Phase::kEnded;
    job.ended_ = std::move(ended);
    Apply(job, change);
  }

  const std::string owner_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Key, SharedJob> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::rpc
