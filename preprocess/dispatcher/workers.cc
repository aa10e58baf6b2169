#include "preprocess/dispatcher/workers.h"

#include "base/names.h"
#include "base/printable.h"

namespace tidemill::preprocess {
namespace {

constexpr int kMostMissed = 2;

}  // namespace

std::vector<Incarnation> Workers::MarkUnreliableLost(const v1::ReportProgressRequest& report,
                                                     const std::vector<Incarnation>& late) {
  std::vector<Incarnation> lost;
  for (const v1::DistrustedWorker& distrusted : report.distrusted()) {
    const Incarnation worker = IncarnationOf(distrusted.incarnation());
    if (MarkLost(worker, Printable(distrusted.reason()))) lost.push_back(worker);
  }
  for (const Incarnation& worker : late) {
    if (!IsAlive(worker) || ++Find(worker.member_id)->num_missed < kMostMissed) continue;
    if (MarkLost(worker, "did not send what it had leased")) lost.push_back(worker);
  }
  return lost;
}

std::vector<Incarnation> Workers::MarkReplacedLost(const KnownWorker& by) {
  std::vector<Incarnation> replaced;
  for (const auto& [id, worker] : all()) {
    if (id == by.incarnation.member_id || worker.lost || worker.endpoint != by.endpoint) continue;
    replaced.push_back(worker.incarnation);
  }
  for (const Incarnation& worker : replaced) {
    MarkLost(worker, "was replaced at its address by " + by.name);
  }
  return replaced;
}

std::optional<double> Workers::ThreadsPerWorker() const {
  double threads = 0;
  double workers = 0;
  for (const auto& [id, worker] : all()) {
    if (!worker.takes_work()) continue;
    threads += worker.num_threads;
    ++workers;
  }
  return workers > 0 ? std::optional(threads / workers) : std::nullopt;
}

absl::Status CheckRegistration(const v1::RegisterWorkerRequest& request) {
  const bool has_name = !request.name().empty();
  RETURN_IF_ERROR(has_name ? CheckLabel("worker's name", request.name())
                           : CheckLabel("worker's host", request.host()));
  RETURN_IF_ERROR(CheckLabel("worker's endpoint", request.endpoint()));
  for (const std::string* const optional :
       {&request.boot_id(), &request.ring_socket(), &request.started_as()}) {
    if (!optional->empty()) RETURN_IF_ERROR(CheckLabel("worker's host or socket", *optional));
  }
  return absl::OkStatus();
}

v1::Worker Describe(const KnownWorker& worker) {
  v1::Worker described;
  described.mutable_incarnation()->set_worker_id(worker.incarnation.member_id);
  described.mutable_incarnation()->set_incarnation(worker.incarnation.number);
  described.set_name(worker.name);
  described.set_endpoint(worker.endpoint);
  described.set_boot_id(worker.boot_id);
  described.set_ring_socket(worker.ring_socket);
  described.set_num_threads(worker.num_threads);
  described.set_state(worker.lost       ? v1::WORKER_STATE_LOST
                      : worker.draining ? v1::WORKER_STATE_DRAINING
                                        : v1::WORKER_STATE_ALIVE);
  described.set_num_batches(worker.num_batches);
  described.set_num_bytes(worker.num_bytes);
  described.set_lost_because(worker.lost_because);
  described.set_started_as(worker.started_as);
  return described;
}

}  // namespace tidemill::preprocess
