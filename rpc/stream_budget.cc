#include "rpc/stream_budget.h"

#include <algorithm>
#include <utility>

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

StreamPermit::StreamPermit(StreamPermit&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      caller_(other.caller_),
      method_(other.method_),
      held_(other.held_) {}

StreamPermit::~StreamPermit() {
  if (budget_ != nullptr) budget_->Leave(*this);
}

absl::Status StreamPermit::Hold(int64_t num_bytes) {
  RETURN_IF_ERROR(budget_->Change(caller_, num_bytes - held_, kSmallBytes));
  held_ = num_bytes;
  return absl::OkStatus();
}

absl::Status StreamPermit::HoldRequest(int64_t num_bytes) {
  RETURN_IF_ERROR(budget_->Change(caller_, num_bytes - held_, kSmallRequestBytes));
  held_ = num_bytes;
  return absl::OkStatus();
}

int64_t StreamPermit::MessageBytes() const {
  return std::max(kLeastMessageBytes, budget_->RoomOf(caller_) / kShares);
}

bool StreamPermit::MayWorkAhead() const {
  return budget_->RoomOf(caller_) > budget_->limits_.memory.bytes / 4;
}

absl::StatusOr<StreamPermit> StreamBudget::Admit(std::string_view peer, int64_t request_bytes) {
  return AdmitOrRefuse({.caller = CallerOf(peer), .request_bytes = request_bytes});
}

absl::StatusOr<StreamPermit> StreamBudget::AdmitHandler(std::string_view peer,
                                                        const std::string& method, int most) {
  return AdmitOrRefuse({.caller = CallerOf(peer), .method = method, .most = most});
}

absl::StatusOr<StreamPermit> StreamBudget::AdmitOrRefuse(Asked asked) {
  absl::Status admitted;
  {
    MutexLock lock(mutex_);
    admitted = CheckPlace(asked);
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
  StreamPermit permit(this, std::move(asked.caller), std::move(asked.method));
  admitted = Change(permit.caller_, asked.request_bytes, kSmallRequestBytes);
  if (!admitted.ok()) {
    ProcessCallMetrics().refused_streams.Add();
    return admitted;
  }
  permit.held_ = asked.request_bytes;
  return permit;
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

absl::Status StreamBudget::Change(const std::string& caller, int64_t more, int64_t always_fits) {
  MutexLock lock(mutex_);
  if (more > always_fits && more > RoomOfLocked(caller)) {
    return ResourceExhausted(
        "the open streams of {} hold their share of cluster.streams.memory ({} bytes), and this "
        "one takes {} bytes more; read the open ones to their end or cancel them, then try again, "
        "ask for less at once, or raise the setting",
        caller, limits_.memory.bytes, more);
  }
  num_bytes_ += more;
  callers_[caller].num_bytes += more;
  Show();
  return absl::OkStatus();
}

void StreamBudget::Leave(const StreamPermit& permit) {
  MutexLock lock(mutex_);
  --num_streams_;
  num_bytes_ -= permit.held_;
  const auto it = callers_.find(permit.caller_);
  it->second.num_bytes -= permit.held_;
  if (--it->second.num_streams == 0) callers_.erase(it);
  if (!permit.method_.empty() && --methods_[permit.method_] == 0) methods_.erase(permit.method_);
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
