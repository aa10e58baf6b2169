// A client that reads on storage's own host, and reports what it had to leave to gRPC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "storage/client/direct_reader.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage::testing {

// Reads one dataset of a Storage, which must outlive it. Thread-compatible.
class DirectClient {
 public:
  explicit DirectClient(const Storage& storage);

  // Behaves as Storage::Read, except that the keys from num_done() on were not read.
  ReadResult Read(const std::vector<int64_t>& keys,
                  const std::function<void()>& after_first_block = {});

  // The keys that all reads requested from gRPC.
  const std::vector<int64_t>& left_to_grpc() const { return left_to_grpc_; }
  // The number of keys that the last read has answered.
  size_t num_done() const { return num_done_; }

 private:
  const Storage& storage_;
  direct::Reader reader_;
  std::vector<int64_t> left_to_grpc_;
  size_t num_done_ = 0;
};

}  // namespace tidemill::storage::testing
