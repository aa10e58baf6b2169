// What the process of a job works with: services, specs and the training set.
#pragma once

#include "base/status.h"
#include "loader/opened_set.h"
#include "rpc/jobs/job_peers.h"
#include "tidemill/trainer_server/v1/job.pb.h"

namespace tidemill::trainer_server {

struct OpenedJob : loader::OpenedSet {
  rpc::JobPeers peers;
};

// The errors are those of rpc::JobPeers::Open() and loader::OpenSet().
absl::StatusOr<OpenedJob> Open(const v1::FitJob& job);
absl::StatusOr<OpenedJob> Open(const v1::TrainingJob& job);

}  // namespace tidemill::trainer_server
