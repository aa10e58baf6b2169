// One job: its lanes, and the consumers that read them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/lane.h"
#include "preprocess/dispatcher/workers.h"
#include "preprocess/scaling/worker_demand.h"

namespace tidemill::preprocess {

// The immutable facts of a job, except its spec and its fitted state.
struct JobFacts {
  int64_t job_id = 0;
  std::string name;
  // Microseconds since 1970-01-01 UTC.
  int64_t created_at = 0;
  // The process that made it (rpc::JobClaims); empty when a service did.
  std::string holder = {};
};

// One job. Thread-compatible.
class Job {
 public:
  // The timeout of the job's consumers begins at `now`.
  Job(JobFacts facts, std::vector<Lane> lanes, Clock::time_point now);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const JobFacts& facts() const { return facts_; }
  // The answer to GetJob(); std::nullopt when it has to be read from the job's row.
  const std::optional<v1::GetJobResponse>& answer() const { return answer_; }
  void KeepAnswer(std::optional<v1::GetJobResponse> answer) { answer_ = std::move(answer); }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  Clock::time_point last_heard() const { return last_heard_; }

  // Whether the job is ending. Nothing is issued, and consumers learn that it is over.
  bool ending = false;
  // Whether its rows will be deleted.
  bool removing = false;

  struct Reported {
    // The number of leases given up.
    int64_t num_given_up = 0;
    // The workers that held batches for which the consumer has waited in vain, one for each lease.
    std::vector<Incarnation> late = {};
  };
  // Applies a consumer's report: its progress, then the broken connections, then the workers from
  // which it reads. INVALID_ARGUMENT for lanes or batches
  // that the job does not have. FAILED_PRECONDITION for a command of an earlier epoch than that of
  // another report. After an error, nothing is applied.
  absl::StatusOr<Reported> Report(const v1::ReportProgressRequest& request, Clock::time_point now);

  // Leases one split to the worker, if the job has one for it. Splits that must be issued again
  // come first, the lowest of them first. Otherwise the split is from the lane with the fewest
  // issued batches. Batches that another worker makes for another lane count as some splits farther
  // ahead, because a worker that makes a batch for one lane makes it for the others with less work.
  // Returns the lane, or -1.
  struct Issued {
    int lane = -1;
    int64_t from_batch = 0;
  };
  Issued Issue(const Incarnation& worker, const std::string& request_id, const Workers& workers);

  // Gives up the leases of the workers for which `is_gone` is true. Returns their number.
  int64_t Lose(const std::function<bool(const Incarnation&)>& is_gone);

  // Returns the splits that the request was given and still leases.
  std::vector<Issued> LeasedBy(const Incarnation& worker, const std::string& request_id) const;

  // Stores the total work that a worker reports for the job, and what it has used for it.
  void NoteWork(const Incarnation& worker, const rpc::v1::PathWork& work,
                const rpc::v1::Usage& usage) {
    work_[worker] = work;
    usage_[worker] = usage;
  }
  // Returns the work of all workers that have reported since the dispatcher's start.
  rpc::v1::PathWork Work() const;
  rpc::v1::Usage Usage() const;

  // Returns what its consumers took and its workers made, since the dispatcher's start.
  JobTotals Totals() const;

  v1::Job Describe() const;

 private:
  struct Consumer {
    std::set<Incarnation> connected;
    double wait_share = 0;
    // When it reported last.
    std::optional<Clock::time_point> heard = std::nullopt;
    // The id of its last report, so that a retried report is not applied twice.
    std::string request_id;
  };

  // Adds the time since the consumer's last report.
  void NoteTime(Consumer& consumer, Clock::time_point now);
  bool IsOpenTo(size_t lane, const Incarnation& worker, const Workers& workers) const;
  bool MayTakeShard(int32_t shard, const Consumer& consumer, const Incarnation& worker,
                    const Workers& workers) const;
  // Returns how many batches ahead the next split of a lane is for the worker.
  int64_t DistanceOf(size_t lane, const Incarnation& worker, const Workers& workers) const;
  void NoteMaker(const Lane& lane, int64_t from_batch, const Incarnation& worker);
  void BindShard(int32_t shard, int64_t worker_id);
  void DropIdleConsumers();

  const JobFacts facts_;
  std::optional<v1::GetJobResponse> answer_;
  std::vector<Lane> lanes_;
  // By name. Nodes do not move, so that readers_ may point to them.
  std::map<std::string, Consumer> consumers_;
  // For each lane, the consumer that reported it last. nullptr when no consumer has reported it
  // since the start of the dispatcher.
  std::vector<const Consumer*> readers_;
  // Maps a shard to a worker_id.
  std::map<int32_t, int64_t> shards_;
  // For a job with several lanes: the worker that was first given a split of some lane, by the
  // split's place in its lane.
  std::map<int64_t, Incarnation> makers_;
  std::map<Incarnation, rpc::v1::PathWork> work_;
  std::map<Incarnation, rpc::v1::Usage> usage_;
  // The seconds between reports, over all consumers, and those in which they did not wait.
  double consumer_seconds_ = 0;
  double not_waited_seconds_ = 0;
  Clock::time_point last_heard_;
  // The highest epoch of a report.
  int64_t run_epoch_ = 0;
};

}  // namespace tidemill::preprocess
