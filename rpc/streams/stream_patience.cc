#include "rpc/streams/stream_patience.h"

#include <algorithm>
#include <thread>

namespace tidemill::rpc {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{20};
constexpr milliseconds kLongestPause{1000};

}  // namespace

StreamPatience::StreamPatience(const Peer& peer, grpc::Channel& channel)
    : peer_(peer), channel_(channel), pause_(kFirstPause) {}

void StreamPatience::Arrived() {
  broken_since_.reset();
  pause_ = kFirstPause;
}

absl::Status StreamPatience::Wait(const absl::Status& broken) {
  const bool may_pass = absl::IsUnavailable(broken) || absl::IsResourceExhausted(broken);
  if (!may_pass) return broken;
  if (!broken_since_.has_value()) broken_since_ = Clock::now();
  const Clock::time_point give_up = *broken_since_ + peer_.deadline;
  if (Clock::now() > give_up) return broken;
  std::this_thread::sleep_for(pause_);
  AwaitConnected(channel_, peer_.stop, give_up);
  if (peer_.stop.stop_requested()) return Cancelled("the caller stopped");
  pause_ = std::min(pause_ * 2, kLongestPause);
  return absl::OkStatus();
}

}  // namespace tidemill::rpc
