// The inputs of the process of a job: services, specs and the training set.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "loader/opened_set.h"
#include "models/spec/model_spec.h"
#include "models/training/start_from_spec.h"
#include "rpc/jobs/job_peers.h"
#include "tidemill/trainer_server/v1/job.pb.h"

namespace tidemill::trainer_server {

struct OpenedJob : loader::OpenedSet {
  rpc::JobPeers peers;
};

// Returns the errors of rpc::JobPeers::Open() and loader::OpenSet().
absl::StatusOr<OpenedJob> Open(const v1::FitJob& job);
absl::StatusOr<OpenedJob> Open(const v1::TrainingJob& job);

// Returns the model with the path of its network file on this machine. The file came with the
// pipeline: the model store has it by its digest, and the run's folder, beside `folder`, once a
// training of the run has fetched it. Another model is returned unchanged. FAILED_PRECONDITION when
// the file did not come with the pipeline; errors of the model store.
absl::StatusOr<models::ModelSpec> WithNetworkFile(const models::ModelSpec& model,
                                                  const std::string& folder,
                                                  const rpc::JobPeers& peers);

// Returns the safetensors files of `start_from`: a stored model, or the files that came with the
// pipeline, by their digests; see WithNetworkFile(). Errors of the model store.
absl::StatusOr<std::vector<std::string>> ReadStartWeights(const models::StartFrom& start_from,
                                                          const std::string& folder,
                                                          const rpc::JobPeers& peers);

}  // namespace tidemill::trainer_server
