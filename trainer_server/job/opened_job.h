// What the process of a job works with: services, specs and the training set.
#pragma once

#include <string>

#include "base/status.h"
#include "loader/opened_set.h"
#include "models/spec/model_spec.h"
#include "rpc/jobs/job_peers.h"
#include "tidemill/trainer_server/v1/job.pb.h"

namespace tidemill::trainer_server {

struct OpenedJob : loader::OpenedSet {
  rpc::JobPeers peers;
};

// The errors are those of rpc::JobPeers::Open() and loader::OpenSet().
absl::StatusOr<OpenedJob> Open(const v1::FitJob& job);
absl::StatusOr<OpenedJob> Open(const v1::TrainingJob& job);

// Returns the model as one that names a file of this machine. A network from a file came with the
// pipeline: the model store has it by its digest, and the run's folder, beside `folder`, once a
// training of the run has asked for it. Another model is returned as it is. FAILED_PRECONDITION
// when the file did not come with the pipeline; errors of the model store.
absl::StatusOr<models::ModelSpec> WithNetworkFile(const models::ModelSpec& model,
                                                  const std::string& folder,
                                                  const rpc::JobPeers& peers);

}  // namespace tidemill::trainer_server
