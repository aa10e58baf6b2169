// The services that a job reads from.
#pragma once

#include "base/status.h"
#include "rpc/channel.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

struct JobPeers {
  rpc::Peer storage;
  rpc::Peer model_store;
};

// As the job's description names them. Fails when token or certificates cannot be read.
absl::StatusOr<JobPeers> PeersOf(const v1::EvaluationJob& job);

}  // namespace tidemill::evaluator
