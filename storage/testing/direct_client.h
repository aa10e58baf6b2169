// A client that reads on storage's own host and tells what it had to leave to gRPC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "storage/client/direct_reader.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage::testing {

// Of one dataset in a Storage, which must outlive it. Thread-compatible.
class DirectClient {
 public:
  explicit DirectClient(const Storage& storage);

  // As Storage::Read, but for keys from num_done() on, which nobody has read.
  ReadResult Read(const std::vector<int64_t>& keys,
                  const std::function<void()>& after_first_block = {});

  // Single keys of all reads that gRPC was asked for.
  const std::vector<int64_t>& left_to_grpc() const { return left_to_grpc_; }
  // How many keys the last read has answered.
  size_t num_done() const { return num_done_; }

 private:
  const Storage& storage_;
  direct::Reader reader_;
  std::vector<int64_t> left_to_grpc_;
  size_t num_done_ = 0;
};

}  // namespace tidemill::storage::testing
