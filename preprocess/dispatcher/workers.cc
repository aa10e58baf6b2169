#include "preprocess/dispatcher/workers.h"

#include <utility>

#include "base/printable.h"

namespace tidemill::preprocess {
namespace {

constexpr int kMostMissed = 2;

}  // namespace

std::string WhyLost(const KnownWorker& worker) {
  return worker.lost_because.empty() ? "was silent for too long" : worker.lost_because;
}

void Workers::Install(WorkerFacts facts, Clock::time_point now) {
  const int64_t id = facts.incarnation.worker_id;
  workers_.insert_or_assign(id, KnownWorker{.facts = std::move(facts), .last_seen = now});
}

absl::StatusOr<KnownWorker*> Workers::Hear(const Incarnation& incarnation, Clock::time_point now) {
  const auto it = workers_.find(incarnation.worker_id);
  if (it == workers_.end()) return NotFound("worker {} is unknown", incarnation.worker_id);
  KnownWorker& worker = it->second;
  if (worker.facts.incarnation != incarnation) {
    return NotFound(
        "incarnation {} of worker {} has ended, and the worker is at {} now; register again",
        incarnation.number, worker.facts.name, worker.facts.incarnation.number);
  }
  if (worker.facts.lost) {
    return NotFound("worker {} {} and is given up; register again", worker.facts.name,
                    WhyLost(worker));
  }
  worker.last_seen = now;
  return &worker;
}

bool Workers::IsAlive(const Incarnation& incarnation) const {
  const auto it = workers_.find(incarnation.worker_id);
  return it != workers_.end() && it->second.facts.incarnation == incarnation &&
         !it->second.facts.lost;
}

bool Workers::TakesWork(const Incarnation& incarnation) const {
  const auto it = workers_.find(incarnation.worker_id);
  return it != workers_.end() && it->second.facts.incarnation == incarnation &&
         it->second.takes_work();
}

bool Workers::TakesWork(int64_t worker_id) const {
  const auto it = workers_.find(worker_id);
  return it != workers_.end() && it->second.takes_work();
}

absl::Status Workers::Drain(int64_t worker_id) {
  const auto it = workers_.find(worker_id);
  if (it == workers_.end()) return NotFound("worker {} is unknown", worker_id);
  it->second.facts.draining = true;
  return absl::OkStatus();
}

std::vector<Incarnation> Workers::LoseSilent(Clock::time_point now,
                                             std::chrono::microseconds timeout) {
  std::vector<Incarnation> lost;
  for (auto& [id, worker] : workers_) {
    if (worker.facts.lost || now - worker.last_seen <= timeout) continue;
    worker.facts.lost = true;
    lost.push_back(worker.facts.incarnation);
  }
  newly_lost_.insert(newly_lost_.end(), lost.begin(), lost.end());
  return lost;
}

std::vector<Incarnation> Workers::LoseBad(const v1::ReportProgressRequest& report,
                                          const std::vector<Incarnation>& late) {
  std::vector<Incarnation> lost;
  const auto lose = [&](const Incarnation& incarnation, std::string reason) {
    if (!IsAlive(incarnation)) return;
    KnownWorker& worker = workers_.at(incarnation.worker_id);
    worker.facts.lost = true;
    worker.lost_because = std::move(reason);
    newly_lost_.push_back(incarnation);
    lost.push_back(incarnation);
  };
  for (const v1::DistrustedWorker& worker : report.distrusted()) {
    lose(IncarnationOf(worker.incarnation()), Printable(worker.reason()));
  }
  for (const Incarnation& worker : late) {
    if (!IsAlive(worker) || ++workers_.at(worker.worker_id).num_missed < kMostMissed) continue;
    lose(worker, "did not send what it had leased");
  }
  return lost;
}

std::vector<Incarnation> Workers::TakeNewlyLost() { return std::exchange(newly_lost_, {}); }

void Workers::ReturnNewlyLost(const std::vector<Incarnation>& lost) {
  newly_lost_.insert(newly_lost_.end(), lost.begin(), lost.end());
}

std::vector<int64_t> Workers::ForgetLost(Clock::time_point now, std::chrono::microseconds kept) {
  std::vector<int64_t> forgotten;
  std::erase_if(workers_, [&](const auto& entry) {
    const KnownWorker& worker = entry.second;
    if (!worker.facts.lost || now - worker.last_seen <= kept) return false;
    forgotten.push_back(entry.first);
    return true;
  });
  return forgotten;
}

v1::Worker Describe(const KnownWorker& worker) {
  v1::Worker described;
  const WorkerFacts& facts = worker.facts;
  described.mutable_incarnation()->set_worker_id(facts.incarnation.worker_id);
  described.mutable_incarnation()->set_incarnation(facts.incarnation.number);
  described.set_name(facts.name);
  described.set_endpoint(facts.endpoint);
  described.set_boot_id(facts.boot_id);
  described.set_ring_socket(facts.ring_socket);
  described.set_num_threads(facts.num_threads);
  described.set_state(facts.lost       ? v1::WORKER_STATE_LOST
                      : facts.draining ? v1::WORKER_STATE_DRAINING
                                       : v1::WORKER_STATE_ALIVE);
  described.set_num_batches(worker.num_batches);
  described.set_num_bytes(worker.num_bytes);
  described.set_lost_because(worker.lost_because);
  return described;
}

}  // namespace tidemill::preprocess
