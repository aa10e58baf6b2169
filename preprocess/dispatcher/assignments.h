// The jobs and the workers that there are, and which worker makes which splits of which job.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/issue_table.h"
#include "preprocess/dispatcher/job.h"
#include "preprocess/dispatcher/jobs_table.h"
#include "preprocess/dispatcher/workers.h"

namespace tidemill::preprocess {

// A split that a request is given.
struct Gift {
  int64_t job_id = 0;
  Job::Issued issued;
};

// Memory only: what changes here is durable once somebody has written what TakeChanges() gave.
// Thread-compatible.
class Assignments {
 public:
  using Jobs = std::map<int64_t, std::unique_ptr<Job>>;

  Workers& workers() { return workers_; }
  const Workers& workers() const { return workers_; }
  // By id, those that are ending among them.
  const Jobs& jobs() const { return jobs_; }
  // nullptr for a job that is ending or unknown.
  Job* FindJob(int64_t job_id) const;

  // Adds a job, heard from now. One that is known already stays as it is; UNAVAILABLE for one that
  // is being removed.
  absl::Status Install(StoredJob stored, Clock::time_point now);
  // The job ends, if it is there: nothing is issued of it. `removing` says whether its rows are
  // about to go.
  void End(int64_t job_id, bool removing);
  // Returns whether it was there.
  bool Erase(int64_t job_id) { return jobs_.erase(job_id) > 0; }

  // Splits held, by worker.
  std::map<int64_t, int32_t> CountLeases() const;
  // Leases the worker one split; std::nullopt when no job has one for it. Jobs take turns, so that
  // one with much to do does not keep others from starting.
  std::optional<Gift> Give(const Incarnation& worker, const std::string& request_id);
  // What the request was given and still holds.
  std::vector<Gift> GivenBefore(const Incarnation& worker, const std::string& request_id) const;
  // Takes back leases of which nobody was told; returns whether there was one.
  bool TakeBack(const std::vector<Gift>& gifts, const Incarnation& worker,
                const std::string& request_id);
  // Gives up the leases of workers that `is_gone` names; returns how many there were.
  int64_t GiveUp(const std::function<bool(const Incarnation&)>& is_gone);

  bool HasChanges() const;
  // What is to be written by now; counts as written from here on.
  IssueChanges TakeChanges();
  // They could not be written: the next ones have them, too.
  void ReturnChanges(const IssueChanges& changes);

 private:
  Jobs jobs_;
  // The job that was given a worker last: the next one's turn comes after it.
  int64_t last_job_ = 0;
  Workers workers_;
};

}  // namespace tidemill::preprocess
