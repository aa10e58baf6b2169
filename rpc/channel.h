// Calls from one service to another: connection, token, deadline, retry.
//
//   const rpc::Peer peer{.endpoint = "unix:/run/tidemill/storage", .token = token};
//   const auto stub = v1::StorageService::NewStub(rpc::Connect(peer));
//   v1::GetDatasetResponse response;
//   RETURN_IF_ERROR(rpc::Call(peer, *stub, &v1::StorageService::Stub::GetDataset, request,
//                             &response));
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "grpcpp/grpcpp.h"

#include "base/status.h"
#include "rpc/access/tls.h"
#include "rpc/callers/call_token.h"

namespace tidemill::rpc {

// Where a service is, and the credentials to call it.
struct Peer {
  // "unix:/absolute/path", or "host:port".
  std::string endpoint;
  CallToken token;
  // The deadline of a unary call, including retries. Streams define for themselves how long they
  // wait.
  std::chrono::milliseconds deadline{60'000};
  // A stop requested here ends running calls with CANCELLED.
  std::stop_token stop = {};
  // The certificates by which a server on TCP is verified.
  Tls tls = nullptr;
  // The service that its certificate must name where `tls` verifies services: "model_store".
  std::string service = {};
};

// Returns a channel that connects on first use. On TCP, `peer.tls` verifies the server.
// Thread-safe. Never fails: with a bad endpoint, the calls are UNAVAILABLE.
std::shared_ptr<grpc::Channel> Connect(const Peer& peer);

// Waits until the service is connected, but not beyond `end` nor after a stop. Streams need it: a
// call fails at once while there is no connection, and only unary calls are repeated.
void AwaitConnected(grpc::Channel& channel, const std::stop_token& stop,
                    std::chrono::steady_clock::time_point end);

// Sets token, deadline and request id on a context, for streaming calls. There is no deadline when
// `deadline` is zero.
void Prepare(const Peer& peer, std::chrono::milliseconds deadline, grpc::ClientContext& context);

namespace internal {
// Repeats `attempt` until it returns something other than UNAVAILABLE or the deadline is over, with
// exponential backoff and jitter.
absl::Status Retry(const Peer& peer, const char* method,
                   const std::function<grpc::Status(grpc::ClientContext&)>& attempt);
}  // namespace internal

// Makes one unary call. Retries UNAVAILABLE until the deadline, except where a disk is full
// (disk_full.h), so the method must be idempotent, as all methods here are.
template <typename Stub, typename Request, typename Response>
absl::Status Call(const Peer& peer, Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response* response) {
  return internal::Retry(
      peer, Request::descriptor()->full_name().c_str(),
      [&](grpc::ClientContext& context) { return (stub.*method)(&context, request, response); });
}

// Returns a new request id: 26 random characters.
std::string NewRequestId();

}  // namespace tidemill::rpc
