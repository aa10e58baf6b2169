// The services below the supervisor, reached by gRPC.
#pragma once

#include "rpc/channel.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

struct DownstreamPeers {
  rpc::Peer storage;
  rpc::Peer selector;
  rpc::Peer trainer_server;
  rpc::Peer model_store;
  rpc::Peer evaluator;
};

// Returns a factory of connections to `peers`. Calls wait for an unreachable service until the
// peer's deadline. Watches, syncs, lists of evaluations and uploads are not retried: they end when
// the connection breaks.
DownstreamFactory ConnectByGrpc(const DownstreamPeers& peers);

}  // namespace tidemill::supervisor
