// What a job's process works with: services, specs and the training set.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/training_set.h"
#include "rpc/channel.h"
#include "rpc/tls.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/storage_client.h"
#include "trainer_server/job_folder.h"
#include "transform/graph.h"
#include "transform/graph_spec.h"

namespace tidemill::trainer_server {

// The services and specs of a job, opened.
struct OpenedJob {
  storage::DatasetSpec dataset;
  transform::GraphSpec graph_spec;
  std::shared_ptr<const transform::Graph> graph;   // Shared with the stream.
  std::shared_ptr<const loader::TrainingSet> set;  // Shared with the streams over it.
  std::string token;
  rpc::Tls tls;

  // A service, as this process speaks to it.
  rpc::Peer PeerOf(const std::string& endpoint) const;

  std::unique_ptr<storage::StorageClient> storage;
  loader::SampleReader reader;
  std::shared_ptr<loader::BadSamples> bad;  // Shared with the streams.
};

// Fails as config::Read() and the selector do.
absl::StatusOr<OpenedJob> Open(const FitJob& job);

}  // namespace tidemill::trainer_server
