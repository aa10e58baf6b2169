#include "rpc/channel.h"

#include <openssl/rand.h>

#include <algorithm>

#include "base/disk_full.h"
#include "base/logs/log.h"
#include "base/mutex.h"
#include "rpc/access/credentials.h"
#include "rpc/grpc_status.h"
#include "rpc/limits.h"
#include "rpc/usage/call_usage.h"

namespace tidemill::rpc {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kFirstBackoff{50};
constexpr milliseconds kLongestBackoff{2'000};
// How long one attempt to connect may take. A service on a busy machine may need seconds to answer;
// one that is not there refuses at once.
constexpr milliseconds kConnectTimeout{20'000};
// How often a wait for a connection checks whether the caller still wants it.
constexpr milliseconds kLook{200};

// Between half and the whole of `backoff`, so that callers who failed together do not all return
// together.
milliseconds Jitter(milliseconds backoff) {
  unsigned char byte = 0;
  RAND_bytes(&byte, 1);
  return backoff / 2 + backoff * byte / 512;
}

milliseconds Until(Clock::time_point end) {
  return std::chrono::duration_cast<milliseconds>(end - Clock::now());
}

// False when a stop was requested during the wait.
bool Sleep(milliseconds length, const std::stop_token& stop) {
  Mutex mutex;
  CondVar wake;
  MutexLock lock(mutex);
  wake.wait_for(mutex, stop, length, [] { return false; });
  return !stop.stop_requested();
}

// Certificates name services as hosts are named: "model-store".
std::string CertificateNameOf(std::string service) {
  std::replace(service.begin(), service.end(), '_', '-');
  return service;
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const Peer& peer) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  // A restarted service is found again within the time that retries wait anyway.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // Its name notwithstanding, the least time that gRPC gives an attempt to connect.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeout.count());
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestBackoff.count());
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMillis);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveMillis);
  if (peer.tls != nullptr && peer.tls->verify == VerifiedName::kService && !peer.service.empty()) {
    arguments.SetSslTargetNameOverride(CertificateNameOf(peer.service));
  }
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      peer.endpoint, ChannelCredentialsFor(peer.endpoint, peer.tls), arguments, CallPayers());
}

void AwaitConnected(grpc::Channel& channel, const std::stop_token& stop, Clock::time_point end) {
  // gRPC attends to the connection only while a caller waits for it.
  while (!stop.stop_requested() && Clock::now() < end &&
         !channel.WaitForConnected(std::chrono::system_clock::now() + kLook)) {
  }
}

void Prepare(const Peer& peer, milliseconds deadline, grpc::ClientContext& context) {
  context.AddMetadata("authorization", "Bearer " + peer.token.Now());
  context.AddMetadata("x-request-id", NewRequestId());
  if (deadline > milliseconds::zero()) {
    context.set_deadline(std::chrono::system_clock::now() + deadline);
  }
}

namespace internal {

absl::Status Retry(const Peer& peer, const char* method,
                   const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
  const Clock::time_point end = Clock::now() + peer.deadline;
  absl::Status last;
  for (milliseconds backoff = kFirstBackoff;; backoff = std::min(2 * backoff, kLongestBackoff)) {
    grpc::ClientContext context;
    Prepare(peer, std::max(Until(end), milliseconds{1}), context);
    const std::stop_callback cancel(peer.stop, [&context] { context.TryCancel(); });
    // gRPC attends to a connection only while a call waits for it: a second attempt that failed at
    // once would leave a service that has just come up unnoticed for up to five seconds.
    if (!last.ok()) context.set_wait_for_ready(true);
    absl::Status status = FromGrpc(attempt(context));
    // The caller reports that it waits for room; retries here would hide it.
    if (IsDiskFull(status)) return status;
    const bool out_of_time = status.code() == absl::StatusCode::kDeadlineExceeded;
    if (status.ok() || (status.code() != absl::StatusCode::kUnavailable && !out_of_time)) {
      return status;
    }
    // Why the peer was not there says more than that time ran out.
    if (last.ok() || !out_of_time) last = status;
    const milliseconds pause = Jitter(backoff);
    if (out_of_time || Until(end) <= pause) {
      return Annotate(last, fmt::format("{} to {}", method, peer.endpoint));
    }
    log::Debug("call is tried again", {{"request", method}, {"error", status.ToString()}});
    if (!Sleep(pause, peer.stop)) return Cancelled("the caller stopped waiting");
  }
}

}  // namespace internal

std::string NewRequestId() {
  constexpr char kDigits[] = "0123456789abcdefghjkmnpqrstvwxyz";
  unsigned char bytes[26];
  RAND_bytes(bytes, sizeof(bytes));
  std::string id;
  for (const unsigned char byte : bytes) id += kDigits[byte & 31];
  return id;
}

}  // namespace tidemill::rpc
