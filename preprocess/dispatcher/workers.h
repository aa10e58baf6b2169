// The workers that the dispatcher knows.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/lane.h"

namespace tidemill::preprocess {

using Clock = std::chrono::steady_clock;

// A worker as its row describes it.
struct WorkerFacts {
  Incarnation incarnation;
  std::string name;
  std::string endpoint;
  std::string boot_id;
  std::string ring_socket;
  int32_t num_threads = 0;
  bool draining = false;
  bool lost = false;
};

struct KnownWorker {
  WorkerFacts facts;
  Clock::time_point last_seen;
  // Counted by the worker since its registration.
  int64_t num_batches = 0;
  int64_t num_bytes = 0;
  // How often a consumer waited in vain for batches that it held.
  int num_missed = 0;
  // Why it is lost; empty when it was silent.
  std::string lost_because = {};

  bool takes_work() const { return !facts.lost && !facts.draining; }
};

// Returns why a lost worker is lost: "was silent for too long".
std::string WhyLost(const KnownWorker& worker);

// Thread-compatible.
class Workers {
 public:
  // Adds a worker, or a new incarnation of it, seen now.
  void Install(WorkerFacts facts, Clock::time_point now);

  // Returns the worker, and records that it was seen. NOT_FOUND when the incarnation is over or
  // lost.
  absl::StatusOr<KnownWorker*> Hear(const Incarnation& incarnation, Clock::time_point now);

  // Whether the leases of the incarnation are valid.
  bool IsAlive(const Incarnation& incarnation) const;
  // Whether the incarnation may get work.
  bool TakesWork(const Incarnation& incarnation) const;
  bool TakesWork(int64_t worker_id) const;

  // NOT_FOUND when the worker is unknown.
  absl::Status Drain(int64_t worker_id);

  // Marks the workers as lost that were silent for `timeout`, and returns them.
  std::vector<Incarnation> LoseSilent(Clock::time_point now, std::chrono::microseconds timeout);

  // Marks the workers as lost that the consumer of the report distrusts, and those of `late`, which
  // had not sent what they had leased, at the second time: they may have been stopped for a while.
  // Returns those that were not lost before.
  std::vector<Incarnation> LoseBad(const v1::ReportProgressRequest& report,
                                   const std::vector<Incarnation>& late);

  // The incarnations that became lost, which is not written yet.
  const std::vector<Incarnation>& newly_lost() const { return newly_lost_; }
  std::vector<Incarnation> TakeNewlyLost();
  void ReturnNewlyLost(const std::vector<Incarnation>& lost);

  // Removes the workers that were lost and silent for `kept`, and returns their ids.
  std::vector<int64_t> ForgetLost(Clock::time_point now, std::chrono::microseconds kept);

  // By id.
  const std::map<int64_t, KnownWorker>& all() const { return workers_; }

 private:
  std::map<int64_t, KnownWorker> workers_;
  std::vector<Incarnation> newly_lost_;
};

// Returns the public part of a worker. `last_seen` is left out.
v1::Worker Describe(const KnownWorker& worker);

}  // namespace tidemill::preprocess
