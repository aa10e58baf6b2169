// A storage service in memory, in a real server.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rpc/server.h"
#include "rpc/tokens.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::evaluator::testing {

// Has the samples 0 .. n - 1 of samples.h. Thread-safe.
class FakeStorage final : public storage::v1::StorageService::Service {
 public:
  // The keys in `unreadable` are reported as missing.
  explicit FakeStorage(int64_t num_samples, std::set<int64_t> unreadable = {})
      : num_samples_(num_samples), unreadable_(std::move(unreadable)) {}

  grpc::Status ListSamples(grpc::ServerContext*, const storage::v1::ListSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ListSamplesResponse>* writer) override;
  grpc::Status ReadSamples(grpc::ServerContext*, const storage::v1::ReadSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ReadSamplesResponse>* writer) override;

  // The number of samples requested so far. A repeated sample counts each time.
  int64_t num_samples_read() const { return num_samples_read_; }

 private:
  const int64_t num_samples_;
  const std::set<int64_t> unreadable_;
  std::atomic<int64_t> num_samples_read_ = 0;
};

}  // namespace tidemill::evaluator::testing
