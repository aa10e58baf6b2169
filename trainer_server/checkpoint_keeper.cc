#include "trainer_server/checkpoint_keeper.h"

#include <algorithm>

#include "base/logs/log.h"
#include "base/threads/thread_priority.h"

namespace tidemill::trainer_server {
namespace {

using std::chrono::steady_clock;

// How often it looks for new checkpoints.
constexpr std::chrono::milliseconds kInterval{500};
// A new claim of the same server may be on its way: a supervisor that starts again first commands
// the other services.
constexpr std::chrono::seconds kMostRefused{60};

bool IsSame(const Claim& one, const Claim& other) {
  return one.command.run_epoch() == other.command.run_epoch() && one.attempt == other.attempt;
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(KeptFolders& folders, int64_t bytes_per_second)
    : folders_(folders),
      bytes_per_second_(bytes_per_second),
      sending_(std::make_unique<PeriodicTask>("checkpoint-keeper", kInterval,
                                              [this] { return SendAll(); })) {}

CheckpointKeeper::~CheckpointKeeper() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  sending_.reset();
}

void CheckpointKeeper::Begin(const Key& key, std::string folder, std::function<Claim()> claim,
                             std::function<void()> lost) {
  MutexLock lock(mutex_);
  kept_[key] = {.folder = std::move(folder), .claim = std::move(claim), .lost = std::move(lost)};
}

void CheckpointKeeper::SendLast(const Key& key) {
  Kept kept;
  {
    MutexLock lock(mutex_);
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    kept = found->second;
  }
  const Claim claim = kept.claim();
  Note(key, claim, folders_.KeepCheckpoint(claim, kept.folder, kept.last, [](size_t) {
    return absl::OkStatus();
  }));
}

void CheckpointKeeper::End(const Key& key, bool send_last) {
  if (send_last) SendLast(key);
  MutexLock lock(mutex_);
  kept_.erase(key);
  changed_.notify_all();
}

absl::Status CheckpointKeeper::SendAll() {
  LowerThreadPriority();
  Key key;
  Kept kept;
  while (FindNext(key, kept)) {
    const Claim claim = kept.claim();
    if (kept.refused && IsSame(*kept.refused, claim)) {
      if (steady_clock::now() - kept.refused_at > kMostRefused) kept.lost();
      continue;
    }
    const auto pace = [&](size_t bytes) { return AwaitTurn(key, bytes); };
    Note(key, claim, folders_.KeepCheckpoint(claim, kept.folder, kept.last, pace));
  }
  return absl::OkStatus();
}

bool CheckpointKeeper::FindNext(Key& key, Kept& kept) {
  MutexLock lock(mutex_);
  const auto next = kept_.upper_bound(key);
  if (stopping_ || next == kept_.end()) return false;
  key = next->first;
  kept = next->second;
  return true;
}

void CheckpointKeeper::Note(const Key& key, const Claim& claim,
                            const absl::StatusOr<model_store::v1::KeepJobRequest>& sent) {
  if (absl::IsCancelled(sent.status())) return;
  if (!sent.ok()) {
    log::Warn("a checkpoint is not kept", {{"run", std::to_string(key.first)},
                                           {"trigger", std::to_string(key.second)},
                                           {"error", sent.status().ToString()}});
  }
  MutexLock lock(mutex_);
  const auto found = kept_.find(key);
  if (found == kept_.end()) return;
  if (sent.ok()) {
    found->second.last = *sent;
  } else if (absl::IsFailedPrecondition(sent.status())) {
    found->second.refused = claim;
    found->second.refused_at = steady_clock::now();
  }
}

absl::Status CheckpointKeeper::AwaitTurn(const Key& key, size_t bytes) {
  MutexLock lock(mutex_);
  const auto needed =
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(
          static_cast<double>(bytes) / static_cast<double>(bytes_per_second_)));
  const auto turn = std::max(next_piece_, steady_clock::now());
  if (bytes > 0) next_piece_ = turn + needed;
  while (!stopping_ && kept_.contains(key)) {
    if (bytes == 0 || steady_clock::now() >= turn) return absl::OkStatus();
    changed_.wait_until(mutex_, turn);
  }
  return Cancelled("the training has ended");
}

}  // namespace tidemill::trainer_server
