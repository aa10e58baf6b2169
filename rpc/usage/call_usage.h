// Calls return what they have used, so that the caller pays for all services below it.
//
//   supervisor --SealTrainingSet--> selector --ListSamples--> storage
//              <--- 1.3 s, 2 MB ---          <-- 0.4 s, 2 MB --
//
// A server measures the time of the thread that handles a call (base/usage), and the bytes that it
// sends. The usage that the handler's own calls return is added. The sum travels in the trailing
// metadata of the answer, whatever the answer is, and goes to the account that was current when the
// call began. Work of other threads is the call's where they have a scope of its account, as those
// of WorkerPool::ParallelFor() have.
#pragma once

#include <memory>
#include <vector>

#include "grpcpp/support/client_interceptor.h"
#include "grpcpp/support/server_interceptor.h"

namespace tidemill::rpc {

// For servers: measures each call, and returns the amounts with its status.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CallMeter();

// For channels: adds the bytes that a call sends, and what it returns, to usage::Current(). A call
// that begins without an account costs nothing more than without this.
std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> CallPayers();

}  // namespace tidemill::rpc
