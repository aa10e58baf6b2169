// The slots of a run's jobs.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "supervisor/pool/pool.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"
#include "supervisor_client/job_stages.h"

namespace tidemill::supervisor {

// Gets slots for one job after the other, and tells the watchers of the run why it waits.
// Thread-compatible.
class JobSlots {
 public:
  // All must outlive this object.
  JobSlots(RunRecord& record, Pool& pool, Patience& patience)
      : record_(record), pool_(pool), patience_(patience) {}

  // Returns where a job runs. It waits until there are slots. A job that has slots keeps them, and
  // an earlier job of the run loses its own. Returns the errors of Pool::Acquire().
  absl::StatusOr<JobPlace> Take(const std::string& stage, int64_t number);
  // The job is over. Does nothing after a stop of the conductor: the job may continue, and the next
  // conductor finds it where it is.
  absl::Status Return(const std::string& stage, int64_t number);
  // No job of the run is left.
  absl::Status ReturnAll();

  // The endpoints of all trainer servers.
  std::vector<std::string> Trainers() { return pool_.TrainerEndpoints(); }

 private:
  SlotRequest RequestFor(const std::string& stage, int64_t number) const;

  RunRecord& record_;
  Pool& pool_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
