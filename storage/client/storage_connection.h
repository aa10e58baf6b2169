// The state that all calls of one StorageClient share.
#pragma once

#include <memory>

#include "rpc/channel.h"
#include "rpc/streams/frame_reader.h"
#include "storage/client/direct_reader.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::storage {

// The most bytes received and not yet taken by the sinks of a client. Together with gRPC's stream
// windows and the block that a sink holds, it stays well within 64 MiB.
inline constexpr int64_t kReadAheadBytes = int64_t{16} << 20;

// Thread-safe.
struct StorageConnection {
  rpc::Peer peer;
  std::shared_ptr<grpc::Channel> channel;  // The stub and the calls in flight share it.
  std::unique_ptr<v1::StorageService::Stub> stub;
  rpc::ByteCredits credits{kReadAheadBytes};
  std::unique_ptr<direct::Reader> direct;
};

}  // namespace tidemill::storage
