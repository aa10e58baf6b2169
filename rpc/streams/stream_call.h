// Calls that a service answers with a stream of small messages. For large messages, see
// frame_reader.h.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "rpc/channel.h"
#include "rpc/grpc_status.h"
#include "rpc/streams/stream_patience.h"

namespace tidemill::rpc {

template <typename Stub, typename Request, typename Response>
using StreamMethod = std::unique_ptr<grpc::ClientReader<Response>> (Stub::*)(grpc::ClientContext*,
                                                                             const Request&);

// Gives each message to `take` until the stream ends. A stop of the peer ends it with CANCELLED. A
// status of `take` other than OK ends the call and is its result. There is no deadline, and the
// call is not repeated.
template <typename Stub, typename Request, typename Response, typename Take>
absl::Status ReadStream(const Peer& peer, Stub& stub, StreamMethod<Stub, Request, Response> method,
                        const Request& request, const Take& take) {
  grpc::ClientContext context;
  Prepare(peer, std::chrono::milliseconds{0}, context);
  const std::stop_callback cancel(peer.stop, [&context] { context.TryCancel(); });
  const auto reader = (stub.*method)(&context, request);
  Response response;
  while (reader->Read(&response)) {
    if (const absl::Status taken = take(response); !taken.ok()) {
      context.TryCancel();
      while (reader->Read(&response)) {
      }
      reader->Finish();
      return taken;
    }
  }
  return FromGrpc(reader->Finish());
}

// Does the same, and calls again when the connection breaks, as StreamPatience says.
// `before_attempt` drops the messages that would otherwise come twice.
template <typename Stub, typename Request, typename Response, typename Before, typename Take>
absl::Status ReadStreamAgain(const Peer& peer, grpc::Channel& channel, Stub& stub,
                             StreamMethod<Stub, Request, Response> method, const Request& request,
                             const Before& before_attempt, const Take& take) {
  StreamPatience patience(peer, channel);
  while (true) {
    before_attempt();
    bool is_taken = true;  // Whether `take` accepted the last message.
    absl::Status ended =
        ReadStream(peer, stub, method, request, [&](Response& response) -> absl::Status {
          patience.Arrived();
          const absl::Status taken = take(response);
          is_taken = taken.ok();
          return taken;
        });
    if (ended.ok() || !is_taken) return ended;
    RETURN_IF_ERROR(patience.Wait(ended));
  }
}

}  // namespace tidemill::rpc
