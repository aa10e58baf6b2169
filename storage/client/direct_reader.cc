#include "storage/client/direct_reader.h"

#include <algorithm>
#include <utility>

#include "storage/client/direct_block.h"

namespace tidemill::storage::direct {

namespace {

// Requests on their way: storage looks the next keys up while we gather the current ones.
constexpr size_t kRequestsAhead = 3;
// Trying a socket that is not there costs little; being refused, or a dataset that cannot be handed
// out, will hold for longer.
constexpr std::chrono::seconds kAbsentFor{1};
constexpr std::chrono::seconds kRefusedFor{30};
constexpr size_t kMaxIdle = 16;

}  // namespace

Reader::Reader(const rpc::Peer& peer)
    : path_(SocketPathOf(peer.endpoint)), token_(peer.token), stop_(peer.stop) {}

std::unique_ptr<Connection> Reader::TakeConnection(DatasetId dataset) {
  {
    const Clock::time_point now = Clock::now();
    MutexLock lock(mutex_);
    if (path_.empty() || now < closed_until_) return nullptr;
    const auto avoided = avoided_until_.find(dataset);
    if (avoided != avoided_until_.end() && now < avoided->second) return nullptr;
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return NewConnection();
}

std::unique_ptr<Connection> Reader::NewConnection() {
  auto opened = Connection::Open(path_, token_.Now(), stop_, mappings_);
  if (opened.ok()) return *std::move(opened);
  MutexLock lock(mutex_);
  closed_until_ = Clock::now() + (absl::IsUnavailable(opened.status()) ? kAbsentFor : kRefusedFor);
  return nullptr;
}

void Reader::KeepConnection(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(connection));
}

void Reader::Avoid(DatasetId dataset) {
  MutexLock lock(mutex_);
  avoided_until_[dataset] = Clock::now() + kRefusedFor;
}

absl::StatusOr<size_t> Reader::Read(DatasetId dataset, std::span<const int64_t> keys,
                                    const SampleSink& sink, const OtherWay& other_way) {
  std::unique_ptr<Connection> connection = TakeConnection(dataset);
  size_t num_asked = 0, num_done = 0;
  bool has_fresh_files = false;
  while (connection != nullptr && num_done < keys.size()) {
    while (num_asked < keys.size() && num_asked < num_done + kRequestsAhead * kMaxKeys) {
      const size_t count = std::min<size_t>(keys.size() - num_asked, kMaxKeys);
      connection->Ask(dataset, keys.subspan(num_asked, count));
      num_asked += count;
    }
    absl::StatusOr<Answer> answer = connection->Receive(stop_);
    if (!answer.ok() || answer->header.status != kAnswered) return num_done;
    const size_t num_keys = answer->header.num_keys;
    if (num_keys > num_asked - num_done) return num_done;
    auto block = Block::Make(*std::move(answer), keys.subspan(num_done, num_keys));
    if (!block.ok()) return num_done;
    const std::vector<uint32_t> damaged = block->damaged_files();
    if (!damaged.empty() && !has_fresh_files) {
      // Other files may have replaced these by now: once, all are requested again.
      has_fresh_files = true;
      num_asked = num_done;
      connection = NewConnection();
      continue;
    }
    if (2 * block->unread().size() > num_keys) {
      Avoid(dataset);
      return num_done;
    }
    for (const uint32_t file : damaged) connection->Forget(file);
    RETURN_IF_ERROR(block->Deliver(sink, other_way));
    num_done += num_keys;
  }
  if (connection != nullptr) KeepConnection(std::move(connection));
  return num_done;
}

}  // namespace tidemill::storage::direct
