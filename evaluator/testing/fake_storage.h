// A storage service in memory, in a real server.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "rpc/access/tokens.h"
#include "rpc/server.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::evaluator::testing {

// The keys of samples that are unlike the others.
struct OddSamples {
  // They are listed, but missing where they are read; `deleted` ones are said to be deleted.
  std::set<int64_t> unreadable = {};
  std::set<int64_t> deleted = {};
  // They wait for their label.
  std::set<int64_t> unlabelled = {};
  // Their record has no number.
  std::set<int64_t> broken = {};
};

// Has the samples 0 .. n - 1 of samples.h. Thread-safe.
class FakeStorage final : public storage::v1::StorageService::Service {
 public:
  explicit FakeStorage(int64_t num_samples, OddSamples odd = {})
      : num_samples_(num_samples), odd_(std::move(odd)) {}

  grpc::Status ListSamples(grpc::ServerContext*, const storage::v1::ListSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ListSamplesResponse>* writer) override;
  grpc::Status ReadSamples(grpc::ServerContext*, const storage::v1::ReadSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ReadSamplesResponse>* writer) override;

  // A broken sample is another record than one that is not.
  grpc::Status FindIdentities(grpc::ServerContext*,
                              const storage::v1::FindIdentitiesRequest* request,
                              storage::v1::FindIdentitiesResponse* response) override;

  // The number of samples requested so far. A repeated sample counts each time.
  int64_t num_samples_read() const { return num_samples_read_; }

 private:
  // The sample with this key.
  batch::Batch SampleOf(int64_t key) const;

  const int64_t num_samples_;
  const OddSamples odd_;
  std::atomic<int64_t> num_samples_read_ = 0;
};

}  // namespace tidemill::evaluator::testing
