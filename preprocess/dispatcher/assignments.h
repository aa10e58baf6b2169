// The jobs, the workers, and the splits that each worker makes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/reconciler.h"
#include "preprocess/dispatcher/issue_table.h"
#include "preprocess/dispatcher/job.h"
#include "preprocess/dispatcher/jobs_table.h"
#include "preprocess/dispatcher/workers.h"

namespace tidemill::preprocess {

// A split that a request gets.
struct Assignment {
  int64_t job_id = 0;
  Job::Issued issued;
};

// The state is in memory only. A change is durable once the result of TakeChanges() is written.
// Thread-compatible.
class Assignments {
 public:
  using Jobs = std::map<int64_t, std::unique_ptr<Job>>;

  Workers& workers() { return workers_; }
  const Workers& workers() const { return workers_; }
  // The jobs by id, including those that are ending.
  const Jobs& jobs() const { return jobs_; }
  // Returns nullptr for a job that is ending or unknown.
  Job* FindJob(int64_t job_id) const;

  // Adds a job, which counts as heard from now. A known job does not change. UNAVAILABLE while the
  // job is being removed.
  absl::Status Install(StoredJob stored, Clock::time_point now);
  // Ends the job if it exists: no split of it is issued any more. `removing` says whether its rows
  // will be deleted.
  void End(int64_t job_id, bool removing);
  // Returns whether the job existed.
  bool Erase(int64_t job_id) { return jobs_.erase(job_id) > 0; }

  // Returns the number of splits that each worker holds.
  std::map<int64_t, int32_t> CountLeases() const;
  // Returns the workers that an engine has started in a group, and that are not lost. One that
  // holds a split is busy.
  std::vector<engine::KnownMember> StartedMembers(const std::string& group) const;
  // Returns what each job's consumers took and its workers made.
  std::vector<JobTotals> Totals() const;
  // Leases one split to the worker. Returns std::nullopt when no job has one for it. Jobs take
  // turns, so that a large job does not keep others from starting.
  std::optional<Assignment> Assign(const Incarnation& worker, const std::string& request_id);
  // Returns the splits that the request was given before and still holds.
  std::vector<Assignment> AssignedBefore(const Incarnation& worker,
                                         const std::string& request_id) const;
  // Takes back leases that no worker was told about. Returns whether there was one.
  bool Revoke(const std::vector<Assignment>& assigned, const Incarnation& worker,
              const std::string& request_id);
  // Gives up the leases of the workers for which `is_gone` is true. Returns their number.
  int64_t GiveUp(const std::function<bool(const Incarnation&)>& is_gone);

  bool HasChanges() const;
  // Returns the changes to write now. They count as written from now on.
  IssueChanges TakeChanges();
  // Returns changes that could not be written. The next TakeChanges() includes them.
  void ReturnChanges(const IssueChanges& changes);

 private:
  Jobs jobs_;
  // The last job that gave a split to a worker. The turn of the next job comes after it.
  int64_t last_job_ = 0;
  Workers workers_;
};

}  // namespace tidemill::preprocess
