#include "preprocess/client/worker_connections.h"

#include <algorithm>

#include "base/logs/log.h"
#include "xxhash.h"

namespace tidemill::preprocess {
namespace {

// The number of parts in which credit is returned.
constexpr int64_t kGrantsOfCredit = 8;
// Between attempts to connect to a worker that does not answer.
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kLongestPause{1'000};

// Whether another worker may do what this one could not.
bool IsOfTheWorker(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

std::pair<int64_t, int64_t> KeyOf(const v1::WorkerIncarnation& worker) {
  return {worker.worker_id(), worker.incarnation()};
}

bool IsSame(const v1::WorkerIncarnation& a, const v1::WorkerIncarnation& b) {
  return KeyOf(a) == KeyOf(b);
}

const v1::WorkerIncarnation& IncarnationIn(const v1::DistrustedWorker& worker) {
  return worker.incarnation();
}

// Rendezvous hashing: which of more workers than it wants a consumer connects to, so that consumers
// spread over them (Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
// 1998).
uint64_t Affinity(const std::string& consumer, int64_t worker_id) {
  return XXH3_64bits_withSeed(consumer.data(), consumer.size(), static_cast<uint64_t>(worker_id));
}

}  // namespace

WorkerConnections::WorkerConnections(Options options, Listener listener)
    : options_(std::move(options)), listener_(std::move(listener)) {}

WorkerConnections::~WorkerConnections() { Close(); }

void WorkerConnections::Close() {
  std::map<int64_t, Connection> connections;
  Links ended;
  {
    MutexLock lock(mutex_);
    connections.swap(connections_);
    ended.swap(ended_);
  }
  // Links wait for their calls to end, which take the lock.
  connections.clear();
  ended.clear();
}

bool WorkerConnections::Update(const v1::ReportProgressResponse& answer, int64_t wanted) {
  std::vector<v1::Worker> chosen;
  Links dropped;
  {
    MutexLock lock(mutex_);
    dropped = DropUnknown(answer);
    dropped.insert(dropped.end(), ended_.begin(), ended_.end());
    ended_.clear();
    chosen = Choose(answer);
  }
  dropped.clear();
  for (const v1::Worker& worker : chosen) Connect(worker, wanted);
  return !chosen.empty();
}

WorkerConnections::Links WorkerConnections::DropUnknown(const v1::ReportProgressResponse& answer) {
  // A worker that hangs keeps its connection, but the dispatcher has given its work to others.
  Links dropped;
  std::erase_if(connections_, [&](auto& connection) {
    const bool is_known = std::ranges::any_of(answer.workers(), [&](const v1::Worker& worker) {
      return IsSame(worker.incarnation(), connection.second.worker.incarnation());
    });
    if (is_known || connection.second.link == nullptr) return false;
    dropped.push_back(std::move(connection.second.link));
    return true;
  });
  return dropped;
}

std::vector<v1::Worker> WorkerConnections::Ranked(const v1::ReportProgressResponse& answer) const {
  std::vector<v1::Worker> workers;
  for (const v1::Worker& worker : answer.workers()) {
    if (worker.state() == v1::WORKER_STATE_ALIVE) workers.push_back(worker);
  }
  std::ranges::sort(workers, std::greater(), [&](const v1::Worker& worker) {
    return Affinity(options_.consumer, worker.incarnation().worker_id());
  });
  if (!options_.shard || workers.empty()) return workers;
  // All shards begin with the same ones, each with the next.
  workers.resize(std::min(workers.size(), static_cast<size_t>(options_.most)));
  const size_t first = static_cast<size_t>(*options_.shard) % workers.size();
  std::rotate(workers.begin(), workers.begin() + static_cast<std::ptrdiff_t>(first), workers.end());
  return workers;
}

int64_t WorkerConnections::RoomFor(const v1::ReportProgressResponse& answer) const {
  if (!options_.shard) return options_.most - std::ssize(connections_);
  // A worker that is asked to leave makes no further batches of a shard.
  return 1 - std::ranges::count_if(connections_, [&](const auto& connection) {
           return std::ranges::any_of(answer.workers(), [&](const v1::Worker& worker) {
             return worker.state() == v1::WORKER_STATE_ALIVE &&
                    IsSame(worker.incarnation(), connection.second.worker.incarnation());
           });
         });
}

std::vector<v1::Worker> WorkerConnections::Choose(const v1::ReportProgressResponse& answer) const {
  const int64_t room = RoomFor(answer);
  std::vector<v1::Worker> workers;
  for (const v1::Worker& worker : Ranked(answer)) {
    if (std::ssize(workers) >= room) break;
    const auto is_it = [&](const v1::WorkerIncarnation& one) {
      return IsSame(one, worker.incarnation());
    };
    const bool is_connected = std::ranges::any_of(
        connections_, [&](const auto& one) { return is_it(one.second.worker.incarnation()); });
    // Broken links are retried after the dispatcher has heard of them, not immediately.
    const auto retry = retries_.find(KeyOf(worker.incarnation()));
    const bool is_broken = std::ranges::any_of(broken_, is_it) ||
                           std::ranges::any_of(distrusted_, is_it, &IncarnationIn) ||
                           (retry != retries_.end() && Clock::now() < retry->second.at);
    if (!is_connected && !is_broken) workers.push_back(worker);
  }
  return workers;
}

void WorkerConnections::Connect(const v1::Worker& worker, int64_t wanted) {
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_connection_++;
    connections_[id] = {.worker = worker};
  }
  const std::shared_ptr<BatchLink> link =
      OpenLink(options_.peer, worker, options_.open, options_.link,
               {.batch = [this, id](BatchMessage message) { Arrived(id, std::move(message)); },
                .ended = [this, id](const absl::Status& why) { Ended(id, why); }});
  {
    MutexLock lock(mutex_);
    const auto it = connections_.find(id);
    if (it == connections_.end()) {
      ended_.push_back(link);  // It has ended already.
    } else {
      it->second.link = link;
    }
  }
  link->Grant(options_.credit_bytes, {&wanted, 1});
}

void WorkerConnections::Arrived(int64_t connection, BatchMessage message) {
  {
    MutexLock lock(mutex_);
    const auto sender = connections_.find(connection);
    if (sender != connections_.end()) retries_.erase(KeyOf(sender->second.worker.incarnation()));
  }
  listener_.batch(connection, std::move(message));
}

void WorkerConnections::Ended(int64_t connection, const absl::Status& why) {
  absl::Status failure;
  {
    MutexLock lock(mutex_);
    const auto it = connections_.find(connection);
    if (it == connections_.end()) return;
    const v1::Worker& worker = it->second.worker;
    if (!IsOfTheWorker(why)) {
      failure = Annotate(why, fmt::format("worker {}", worker.name()));
    } else if (!why.ok()) {
      log::Warn("a worker is gone; other workers make its batches",
                {{"worker", worker.name()}, {"error", std::string(why.message())}});
      broken_.push_back(worker.incarnation());
    }
    Retry& retry = retries_[KeyOf(worker.incarnation())];
    retry.pause = std::clamp(retry.pause * 2, kFirstPause, kLongestPause);
    retry.at = Clock::now() + retry.pause;
    if (it->second.link != nullptr) ended_.push_back(std::move(it->second.link));
    connections_.erase(it);
  }
  listener_.ended(failure);
}

void WorkerConnections::Distrust(int64_t connection, const std::string& reason) {
  {
    MutexLock lock(mutex_);
    const auto it = connections_.find(connection);
    if (it == connections_.end()) return;
    log::Warn("a worker is not trusted; other workers make its batches",
              {{"worker", it->second.worker.name()}, {"reason", reason}});
    v1::DistrustedWorker& distrusted = distrusted_.emplace_back();
    *distrusted.mutable_incarnation() = it->second.worker.incarnation();
    distrusted.set_reason(reason);
    if (it->second.link != nullptr) ended_.push_back(std::move(it->second.link));
    connections_.erase(it);
  }
  listener_.ended(absl::OkStatus());
}

void WorkerConnections::Describe(v1::ReportProgressRequest& report) const {
  MutexLock lock(mutex_);
  for (const auto& [number, connection] : connections_) {
    *report.add_connected() = connection.worker.incarnation();
  }
  for (const v1::WorkerIncarnation& worker : broken_) *report.add_broken() = worker;
  for (const v1::DistrustedWorker& worker : distrusted_) *report.add_distrusted() = worker;
}

void WorkerConnections::AcknowledgeReport(const v1::ReportProgressRequest& report) {
  MutexLock lock(mutex_);
  for (const v1::WorkerIncarnation& told : report.broken()) {
    std::erase_if(broken_, [&](const auto& worker) { return IsSame(worker, told); });
  }
  for (const v1::DistrustedWorker& told : report.distrusted()) {
    std::erase_if(distrusted_, [&](const auto& worker) {
      return IsSame(worker.incarnation(), told.incarnation());
    });
  }
}

void WorkerConnections::GiveBack(int64_t connection, int64_t bytes, int64_t wanted) {
  std::shared_ptr<BatchLink> link;
  int64_t owed = 0;
  {
    MutexLock lock(mutex_);
    const auto it = connections_.find(connection);
    if (it == connections_.end()) return;
    it->second.owed += bytes;
    if (it->second.owed < options_.credit_bytes / kGrantsOfCredit) return;
    link = it->second.link;
    if (link == nullptr) return;
    owed = std::exchange(it->second.owed, 0);
  }
  link->Grant(owed, {&wanted, 1});
}

void WorkerConnections::GiveBackLater(int64_t connection, int64_t bytes) {
  MutexLock lock(mutex_);
  const auto it = connections_.find(connection);
  if (it != connections_.end()) it->second.owed += bytes;
}

void WorkerConnections::Ask(int64_t wanted) {
  std::vector<std::pair<std::shared_ptr<BatchLink>, int64_t>> grants;
  {
    MutexLock lock(mutex_);
    for (auto& [id, connection] : connections_) {
      if (connection.link == nullptr) continue;
      grants.emplace_back(connection.link, std::exchange(connection.owed, 0));
    }
  }
  for (const auto& [link, bytes] : grants) link->Grant(bytes, {&wanted, 1});
}

bool WorkerConnections::empty() const {
  MutexLock lock(mutex_);
  return connections_.empty();
}

std::map<std::string, LinkCounters> WorkerConnections::counters() const {
  MutexLock lock(mutex_);
  std::map<std::string, LinkCounters> counters;
  for (const auto& [id, connection] : connections_) {
    if (connection.link == nullptr) continue;
    counters[connection.worker.name()] = connection.link->counters();
  }
  return counters;
}

}  // namespace tidemill::preprocess
