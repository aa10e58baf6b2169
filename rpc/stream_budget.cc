#include "rpc/stream_budget.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "rpc/call_metrics.h"

namespace tidemill::rpc {

namespace {

// A message takes no more than this part of what is left, as many are made at once.
constexpr int64_t kShares = 32;
constexpr int64_t kLeastMessageBytes = int64_t{64} << 10;
constexpr int64_t kSmallRequestBytes = int64_t{4} << 10;

// The host of "ipv4:10.0.0.1:4711"; peers of a UNIX socket have no names.
std::string CallerOf(std::string_view peer) {
  if (peer.starts_with("unix")) return "unix";
  return std::string(peer.substr(0, peer.rfind(':')));
}

}  // namespace

// All but the names belong to the budget and its mutex.
struct StreamPermit::Place {
  std::string caller;
  std::string method;            // Empty for a stream that holds no thread.
  std::function<void()> cancel;  // Null for one whose place is never given away.
  int64_t held = 0;
  std::optional<std::chrono::steady_clock::time_point> waits_since = std::nullopt;
  bool is_given_away = false;
};

StreamPermit::StreamPermit(StreamBudget& budget, std::unique_ptr<Place> place)
    : budget_(&budget), place_(std::move(place)) {}

StreamPermit::StreamPermit(StreamPermit&& other) noexcept = default;

StreamPermit::~StreamPermit() {
  if (place_ != nullptr) budget_->Leave(*place_);
}

StreamPermit::Waiting::Waiting(StreamPermit& permit) : permit_(permit) {
  permit_.budget_->SetWaiting(*permit_.place_, true);
}

StreamPermit::Waiting::~Waiting() { permit_.budget_->SetWaiting(*permit_.place_, false); }

absl::Status StreamPermit::Hold(int64_t num_bytes) {
  TIDEMILL_CHECK(place_ != nullptr && num_bytes >= 0);
  return budget_->Change(*place_, num_bytes, kSmallBytes);
}

absl::Status StreamPermit::HoldRequest(int64_t num_bytes) {
  TIDEMILL_CHECK(place_ != nullptr && num_bytes >= 0);
  return budget_->Change(*place_, num_bytes, kSmallRequestBytes);
}

int64_t StreamPermit::MessageBytes() const {
  return std::max(kLeastMessageBytes, budget_->RoomOf(place_->caller) / kShares);
}

bool StreamPermit::MayWorkAhead() const {
  return budget_->RoomOf(place_->caller) > budget_->limits_.memory.bytes / 4;
}

absl::StatusOr<StreamPermit> StreamBudget::Admit(std::string_view peer, int64_t request_bytes) {
  return AdmitOrRefuse({.caller = CallerOf(peer), .request_bytes = request_bytes});
}

absl::StatusOr<StreamPermit> StreamBudget::AdmitHandler(std::string_view peer,
                                                        const std::string& method, int most,
                                                        std::function<void()> cancel) {
  return AdmitOrRefuse(
      {.caller = CallerOf(peer), .method = method, .most = most, .cancel = std::move(cancel)});
}

absl::StatusOr<StreamPermit> StreamBudget::AdmitOrRefuse(Asked asked) {
  absl::Status admitted;
  {
    MutexLock lock(mutex_);
    admitted = CheckPlace(asked);
    while (!admitted.ok() && Preempt(BlockersOf(asked))) admitted = CheckPlace(asked);
    if (admitted.ok()) {
      ++num_streams_;
      ++callers_[asked.caller].num_streams;
      if (!asked.method.empty()) ++methods_[asked.method];
      Show();
    }
  }
  if (!admitted.ok()) {
    ProcessCallMetrics().refused_streams.Add();
    return admitted;
  }
  StreamPermit permit(*this, std::make_unique<StreamPermit::Place>(
                                 StreamPermit::Place{.caller = std::move(asked.caller),
                                                     .method = std::move(asked.method),
                                                     .cancel = std::move(asked.cancel)}));
  admitted = Change(*permit.place_, asked.request_bytes, kSmallRequestBytes);
  if (admitted.ok()) return permit;
  ProcessCallMetrics().refused_streams.Add();
  return admitted;
}

StreamBudget::Blockers StreamBudget::BlockersOf(const Asked& asked) const {
  if (!asked.method.empty() && !CheckMethod(asked).ok()) return {.method = &asked.method};
  if (num_streams_ >= limits_.max_streams) return {};
  return {.caller = &asked.caller};
}

bool StreamBudget::Preempt(const Blockers& sought) {
  StreamPermit::Place* longest = nullptr;
  for (StreamPermit::Place* const place : waiting_) {
    if (sought.method != nullptr && place->method != *sought.method) continue;
    if (sought.caller != nullptr && place->caller != *sought.caller) continue;
    if (sought.holds_bytes && place->held == 0) continue;
    if (longest == nullptr || *place->waits_since < *longest->waits_since) longest = place;
  }
  const std::chrono::microseconds longest_silence(limits_.longest_silence.micros);
  if (longest == nullptr ||
      std::chrono::steady_clock::now() - *longest->waits_since < longest_silence) {
    return false;
  }
  LeaveLocked(*longest);
  longest->is_given_away = true;
  // Under the lock, without which the stream may end first. It only wakes the stream.
  longest->cancel();
  return true;
}

void StreamBudget::SetWaiting(StreamPermit::Place& place, bool waits) {
  if (place.cancel == nullptr) return;
  MutexLock lock(mutex_);
  if (place.is_given_away) return;
  if (waits) {
    place.waits_since = std::chrono::steady_clock::now();
    waiting_.insert(&place);
  } else {
    waiting_.erase(&place);
  }
}

absl::Status StreamBudget::CheckMethod(const Asked& asked) const {
  const auto found = methods_.find(asked.method);
  const int num_open = found == methods_.end() ? 0 : found->second;
  if (num_open >= asked.most) {
    return ResourceExhausted(
        "{} calls of {} run, which is all that this service runs at the same time; wait for one to "
        "end, then try again",
        num_open, asked.method);
  }
  if (num_open >= limits_.max_streams_per_method) {
    return ResourceExhausted(
        "{} streams of {} are open, which is all that cluster.streams.max_streams_per_method "
        "allows; read the open ones to their end or cancel them, then try again, or raise the "
        "setting",
        num_open, asked.method);
  }
  return absl::OkStatus();
}

absl::Status StreamBudget::CheckPlace(const Asked& asked) const {
  const std::string& name = asked.caller;
  if (!asked.method.empty()) RETURN_IF_ERROR(CheckMethod(asked));
  if (num_streams_ >= limits_.max_streams) {
    return ResourceExhausted(
        "{} streams are open, which is all that cluster.streams.max_streams allows; read the open "
        "ones to their end or cancel them, then try again, or raise the setting",
        num_streams_);
  }
  const auto caller = callers_.find(name);
  if (caller != callers_.end() && caller->second.num_streams >= limits_.max_streams_per_caller) {
    return ResourceExhausted(
        "{} streams of {} are open, which is all that cluster.streams.max_streams_per_caller "
        "allows; read the open ones to their end or cancel them, then try again, or raise the "
        "setting",
        caller->second.num_streams, name);
  }
  return absl::OkStatus();
}

absl::Status StreamBudget::Change(StreamPermit::Place& place, int64_t num_bytes,
                                  int64_t always_fits) {
  const std::string& caller = place.caller;
  MutexLock lock(mutex_);
  if (place.is_given_away) {
    return Cancelled("the stream was silent, and another one has got its place");
  }
  const int64_t more = num_bytes - place.held;
  bool fits = more <= always_fits || more <= RoomOfLocked(caller);
  while (!fits) {
    const bool is_share = more <= limits_.memory.bytes - num_bytes_;
    if (!Preempt({.caller = is_share ? &caller : nullptr, .holds_bytes = true})) break;
    fits = more <= RoomOfLocked(caller);
  }
  if (!fits) {
    return ResourceExhausted(
        "the open streams of {} hold their share of cluster.streams.memory ({} bytes), and this "
        "one takes {} bytes more; read the open ones to their end or cancel them, then try again, "
        "ask for less at once, or raise the setting",
        caller, limits_.memory.bytes, more);
  }
  place.held = num_bytes;
  num_bytes_ += more;
  callers_[caller].num_bytes += more;
  Show();
  return absl::OkStatus();
}

void StreamBudget::Leave(StreamPermit::Place& place) {
  MutexLock lock(mutex_);
  if (!place.is_given_away) LeaveLocked(place);
}

void StreamBudget::LeaveLocked(StreamPermit::Place& place) {
  waiting_.erase(&place);
  --num_streams_;
  num_bytes_ -= place.held;
  const auto it = callers_.find(place.caller);
  it->second.num_bytes -= place.held;
  if (--it->second.num_streams == 0) callers_.erase(it);
  if (!place.method.empty() && --methods_[place.method] == 0) methods_.erase(place.method);
  Show();
}

void StreamBudget::Show() const {
  CallMetrics& metrics = ProcessCallMetrics();
  metrics.open_streams.Set(num_streams_);
  metrics.stream_bytes.Set(static_cast<double>(num_bytes_));
}

int64_t StreamBudget::RoomOf(const std::string& caller) const {
  MutexLock lock(mutex_);
  return RoomOfLocked(caller);
}

int64_t StreamBudget::RoomOfLocked(const std::string& caller) const {
  const auto it = callers_.find(caller);
  const int64_t of_caller = it == callers_.end() ? 0 : it->second.num_bytes;
  return std::max<int64_t>(
      0, std::min(limits_.memory.bytes - num_bytes_, limits_.memory.bytes / 2 - of_caller));
}

int StreamBudget::num_streams() const {
  MutexLock lock(mutex_);
  return num_streams_;
}

int64_t StreamBudget::num_bytes() const {
  MutexLock lock(mutex_);
  return num_bytes_;
}

}  // namespace tidemill::rpc
