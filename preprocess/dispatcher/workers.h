// The workers that the dispatcher knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/dispatcher/lane.h"
#include "rpc/members/members.h"

namespace tidemill::preprocess {

using Clock = rpc::Member::Clock;

struct KnownWorker : rpc::Member {
  std::string boot_id = {};
  std::string ring_socket = {};
  int32_t num_threads = 0;
  // "workers/3" for the third one that an engine has started.
  std::string started_as = {};
  // Counted by the worker since its registration.
  int64_t num_batches = 0;
  int64_t num_bytes = 0;
  // How often a consumer waited in vain for batches that it held.
  int num_missed = 0;
};

// Thread-compatible.
class Workers : public rpc::Members<KnownWorker> {
 public:
  Workers() : Members("worker") {}

  // Marks the workers as lost that the consumer of the report distrusts, and those of `late`, which
  // had not sent what they had leased, at the second time: they may have been stopped for a while.
  // Returns those that were not lost before.
  std::vector<Incarnation> MarkUnreliableLost(const v1::ReportProgressRequest& report,
                                              const std::vector<Incarnation>& late);

  // Marks the others as lost that serve at the address of this one: an address has one process, so
  // that they have ended. Returns those that were not lost before.
  std::vector<Incarnation> MarkReplacedLost(const KnownWorker& by);

  // Returns the mean over those that take work; std::nullopt when there are none.
  std::optional<double> ThreadsPerWorker() const;
};

// INVALID_ARGUMENT for names and addresses that a list of workers cannot show.
absl::Status CheckRegistration(const v1::RegisterWorkerRequest& request);

// Returns the public part of a worker. `last_seen` is left out.
v1::Worker Describe(const KnownWorker& worker);

}  // namespace tidemill::preprocess
