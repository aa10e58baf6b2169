// The worker's end of links over gRPC.
#pragma once

#include "grpcpp/support/server_callback.h"

#include "base/threads/worker_pool.h"
#include "preprocess/transport/outbox.h"
#include "tidemill/preprocess/v1/preprocess.grpc.pb.h"

namespace tidemill::preprocess {

// One stream of ReadBatches. Outboxes are opened and batches are compressed on the pool. Everything
// else happens on gRPC's threads and on the threads that fill the outbox. A consumer that stalls
// holds no thread, and at most three messages besides those in the outbox. When a consumer goes
// away, or the server stops, the outbox is closed at once with UNAVAILABLE.
//
// Both must outlive the server. The reactor deletes itself.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* SendBatches(OutboxProvider& provider,
                                                                         WorkerPool& pool,
                                                                         rpc::JobScope scope);

// The service that a worker's server registers. Thread-safe.
class WorkerFace final
    : public v1::WorkerService::WithRawCallbackMethod_ReadBatches<v1::WorkerService::Service> {
 public:
  // Both must outlive the server.
  WorkerFace(OutboxProvider& provider, WorkerPool& pool) : provider_(provider), pool_(pool) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ReadBatches(
      grpc::CallbackServerContext* context) override;

 private:
  OutboxProvider& provider_;
  WorkerPool& pool_;
};

}  // namespace tidemill::preprocess
