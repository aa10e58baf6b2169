// Workers for tests: they prepare samples in the test's own process, until they fail.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "evaluator/reading/preparing_workers.h"
#include "evaluator/testing/cluster.h"
#include "storage/client/storage_client.h"

namespace tidemill::evaluator::testing {

// Thread-compatible.
class WorkersHere final : public PreparingWorkers {
 public:
  struct Options {
    bool takes = true;
    // The number of batches of a source before it fails.
    int64_t fails_after = std::numeric_limits<int64_t>::max();
  };

  // `storage` must outlive this object and its sources.
  explicit WorkersHere(const storage::StorageClient& storage) : WorkersHere(storage, Options()) {}
  WorkersHere(const storage::StorageClient& storage, const Options& options)
      : storage_(storage), options_(options) {}

  bool Take(int64_t num_samples) override { return options_.takes && num_samples > 0; }
  absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(const RowsToPrepare& rows) override;

  // The number of keys of each source.
  const std::vector<int64_t>& opened() const { return opened_; }

 private:
  const storage::StorageClient& storage_;
  const Options options_;
  std::vector<int64_t> opened_;
};

// Returns the peer of a cluster's storage.
rpc::Peer StorageOf(const Cluster& cluster);

}  // namespace tidemill::evaluator::testing
