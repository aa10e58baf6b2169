// Reads samples on storage's own host. Storage says where the records are; they are copied and
// checked here.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"
#include "rpc/channel.h"
#include "storage/client/direct_connection.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage::direct {

using SampleSink = std::function<absl::Status(batch::Batch, std::vector<v1::MissingSample>)>;
// Reads keys over gRPC and gives them to a sink, as StorageClient::ReadSamples does.
using OtherWay = std::function<absl::Status(std::span<const int64_t>, const SampleSink&)>;

// Thread-safe: every concurrent read has its own connection. Memory: two blocks per read, and the
// address space of the files.
//
// A failure of a direct read costs speed, never data: the keys are then read over gRPC. All keys
// are read over gRPC when storage is on another host, belongs to another user, or does not offer
// direct reads; this is remembered for some seconds. So are all keys of a dataset whose files
// cannot be handed out; this is remembered, too. So is a single key that is unknown, or whose file
// has changed.
class Reader {
 public:
  explicit Reader(const rpc::Peer& peer);

  // Delivers samples to the sink in the order of `keys`. It ends early when direct reading fails. A
  // failure of the sink or of gRPC is returned. Returns the number of keys answered.
  absl::StatusOr<size_t> Read(DatasetId dataset, std::span<const int64_t> keys,
                              const SampleSink& sink, const OtherWay& other_way)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  // Returns nullptr when no connection is available for now.
  std::unique_ptr<Connection> TakeConnection(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  std::unique_ptr<Connection> NewConnection() ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepConnection(std::unique_ptr<Connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void Avoid(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string path_;  // Empty when storage is not on this host.
  const rpc::CallToken token_;
  const std::stop_token stop_;
  SharedMappings mappings_;
  Mutex mutex_;
  Clock::time_point closed_until_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<DatasetId, Clock::time_point> avoided_until_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage::direct
