// Reads samples on storage's own host: storage says where records lie, and they are copied and
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
// Reads keys some other way and gives them to a sink, as StorageClient::ReadSamples does.
using OtherWay = std::function<absl::Status(std::span<const int64_t>, const SampleSink&)>;

// Thread-safe: concurrent reads have connections of their own. Memory: two blocks a read, and the
// address space of the files.
//
// Whatever goes wrong costs speed only. What cannot be read directly is left to the other way: all
// of it where storage is not on this host, or another user's, or does not offer it, which is
// remembered for some seconds; a dataset whose files cannot be handed out, likewise; single keys
// that are unknown, or whose file has changed.
class Reader {
 public:
  explicit Reader(const rpc::Peer& peer);

  // Delivers samples to the sink, in the order of `keys`, until something goes wrong that is not
  // the sink's or the other way's fault, and returns how many keys it has answered.
  absl::StatusOr<size_t> Read(DatasetId dataset, std::span<const int64_t> keys,
                              const SampleSink& sink, const OtherWay& other_way)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  // nullptr when there is none to be had for now.
  std::unique_ptr<Connection> TakeConnection(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  std::unique_ptr<Connection> NewConnection() ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepConnection(std::unique_ptr<Connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void Avoid(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string path_;  // Empty: storage is not on this host.
  const std::string token_;
  const std::stop_token stop_;
  SharedMappings mappings_;
  Mutex mutex_;
  Clock::time_point closed_until_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<DatasetId, Clock::time_point> avoided_until_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage::direct
