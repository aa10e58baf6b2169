// The preprocessing workers, as a job of the evaluator uses them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "evaluator/reading/prepared_graph.h"
#include "loader/batch_source.h"
#include "loader/prepared/sample_cache.h"
#include "models/training/cache_spec.h"
#include "rpc/jobs/job_peers.h"
#include "storage/client/storage_client.h"

namespace tidemill::evaluator {

// Samples and the graph that makes rows of them.
struct RowsToPrepare {
  std::shared_ptr<const PreparedGraph> graph;
  // Ordinal n is the n-th key. A key may be listed several times.
  std::span<const int64_t> keys = {};
  int64_t batch_size = 1;
  // Whether samples without a label count as others, and all labels are placeholders.
  bool ignores_labels = false;
  // The number of such sources that are open at the same time.
  int64_t num_together = 1;
  // For rows that are made in this process; nullptr: nothing is kept of them.
  std::shared_ptr<loader::SampleCache> cache = nullptr;
};

// Thread-compatible.
class PreparingWorkers {
 public:
  virtual ~PreparingWorkers() = default;

  // Whether workers should prepare this many samples: there is a worker, and it is worth a job.
  virtual bool Take(int64_t num_samples) = 0;

  // Opens a source of batches in the order of the keys. The rows are as RunGraph() makes them, with
  // the column `ordinal`. Unusable samples are not reported to storage. Returns the errors of
  // preprocess::WorkerSource::Open().
  virtual absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(const RowsToPrepare& rows) = 0;
};

// The job, and what it names.
struct PreparingJob {
  RunId run;
  // The purpose of the job: "evaluation-3".
  std::string name;
  DatasetId dataset;
  // A DatasetSpec and a WorkersSpec, as canonical YAML.
  std::string dataset_spec;
  std::string workers;
  // What workers keep of prepared samples, and how often each is expected to be read again.
  models::CacheSpec cache = models::NoCache();
  double uses = 0;
  // The threads with which the job helps its workers, if the spec wants that.
  int num_threads = 1;
};

// Returns nullptr when the job names no workers, or was given no endpoint of a dispatcher.
// INVALID_ARGUMENT when `workers` does not decode. `storage` must outlive the result and its
// sources.
absl::StatusOr<std::unique_ptr<PreparingWorkers>> WorkersOf(const PreparingJob& job,
                                                            const rpc::JobPeers& peers,
                                                            const storage::StorageClient& storage);

}  // namespace tidemill::evaluator
