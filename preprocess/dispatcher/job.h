// One job: its lanes, and the consumers that read them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/lane.h"
#include "preprocess/dispatcher/workers.h"

namespace tidemill::preprocess {

// What a job never changes, but for spec and fitted state, which are read when asked for.
struct JobFacts {
  int64_t job_id = 0;
  std::string name;
  v1::Guarantee guarantee = v1::GUARANTEE_EXACTLY_ONCE;
  // Microseconds since 1970-01-01 UTC.
  int64_t created_at = 0;
};

// Thread-compatible.
class Job {
 public:
  // Counts as heard from at `now`.
  Job(JobFacts facts, std::vector<Lane> lanes, Clock::time_point now);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const JobFacts& facts() const { return facts_; }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  Clock::time_point last_heard() const { return last_heard_; }

  // It is being removed: nothing is issued, and whoever asks is told that it is over.
  bool ending = false;
  // Its rows are about to go.
  bool removing = false;

  // Takes over a consumer's report: how far it has come, then what broke, then what it reads from.
  // Returns how many leases were given up. INVALID_ARGUMENT for lanes or batches that the job does
  // not have, FAILED_PRECONDITION for a command of an earlier epoch than another report's; nothing
  // is taken over then.
  absl::StatusOr<int64_t> Report(const v1::ReportProgressRequest& request, Clock::time_point now);

  // Leases the worker one split, if the job has one for it: what is to be issued again first, and
  // of that the lowest; else of the lane that is issued the least far, where batches that another
  // worker makes for another lane count as some splits farther: who makes a batch for one lane
  // makes it for the others with less work. Returns the lane, -1 if none.
  struct Issued {
    int lane = -1;
    int64_t from_batch = 0;
  };
  Issued Issue(const Incarnation& worker, const std::string& request_id, const Workers& workers);

  // Gives up the leases of workers that `is_gone` names; returns how many there were.
  int64_t Lose(const std::function<bool(const Incarnation&)>& is_gone);

  // The splits that the request was given and that are still leased by it.
  std::vector<Issued> LeasedBy(const Incarnation& worker, const std::string& request_id) const;

  // Takes over what a worker says that it did for the job, all in all.
  void NoteWork(const Incarnation& worker, const rpc::v1::PathWork& work) { work_[worker] = work; }
  // Over all workers that said something since the dispatcher's start.
  rpc::v1::PathWork Work() const;

  v1::Job Describe() const;

 private:
  struct Consumer {
    std::set<Incarnation> connected;
    double wait_share = 0;
    // Of its last report, so that one repeated breaks nothing twice.
    std::string request_id;
  };

  bool IsOpenTo(size_t lane, const Incarnation& worker, const Workers& workers) const;
  bool MayTakeShard(int32_t shard, const Consumer& consumer, const Incarnation& worker,
                    const Workers& workers) const;
  // How far ahead the next split of a lane is for the worker, in batches.
  int64_t DistanceOf(size_t lane, const Incarnation& worker, const Workers& workers) const;
  void NoteMaker(const Lane& lane, int64_t from_batch, const Incarnation& worker);
  void BindShard(int32_t shard, int64_t worker_id);
  void DropIdleConsumers();

  const JobFacts facts_;
  std::vector<Lane> lanes_;
  // By name. Nodes stay where they are, so that readers_ may point to them.
  std::map<std::string, Consumer> consumers_;
  // By lane: who reported it last; null: nobody since the start.
  std::vector<const Consumer*> readers_;
  // shard -> worker_id.
  std::map<int32_t, int64_t> shards_;
  // Of a job of several lanes, who was the first to be given a split of some, by its place among
  // the splits of a lane.
  std::map<int64_t, Incarnation> makers_;
  std::map<Incarnation, rpc::v1::PathWork> work_;
  Clock::time_point last_heard_;
  // The highest of a report.
  int64_t run_epoch_ = 0;
};

}  // namespace tidemill::preprocess
