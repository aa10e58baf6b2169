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

// A worker as its row tells.
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
  // Since its registration, as it says.
  int64_t num_batches = 0;
  int64_t num_bytes = 0;

  bool takes_work() const { return !facts.lost && !facts.draining; }
};

// Thread-compatible.
class Workers {
 public:
  // Adds a worker or another incarnation of it, seen now.
  void Install(WorkerFacts facts, Clock::time_point now);

  // The worker, which counts as seen. NOT_FOUND for an incarnation that is over or lost.
  absl::StatusOr<KnownWorker*> Hear(const Incarnation& incarnation, Clock::time_point now);

  // Whether leases of the incarnation hold.
  bool IsAlive(const Incarnation& incarnation) const;
  // Whether the incarnation may be given work.
  bool TakesWork(const Incarnation& incarnation) const;
  bool TakesWork(int64_t worker_id) const;

  // NOT_FOUND for an unknown worker.
  absl::Status Drain(int64_t worker_id);

  // Marks those lost that were silent for `timeout`, and returns them.
  std::vector<Incarnation> LoseSilent(Clock::time_point now, std::chrono::microseconds timeout);

  // Incarnations that became lost and are not written as such.
  const std::vector<Incarnation>& newly_lost() const { return newly_lost_; }
  std::vector<Incarnation> TakeNewlyLost();
  void ReturnNewlyLost(const std::vector<Incarnation>& lost);

  // Forgets those that were lost and silent for `kept`, and returns their ids.
  std::vector<int64_t> ForgetLost(Clock::time_point now, std::chrono::microseconds kept);

  // By id.
  const std::map<int64_t, KnownWorker>& all() const { return workers_; }

 private:
  std::map<int64_t, KnownWorker> workers_;
  std::vector<Incarnation> newly_lost_;
};

// What others are told of a worker. `last_seen` is left out.
v1::Worker Describe(const KnownWorker& worker);

}  // namespace tidemill::preprocess
