// Logs one line for each call that failed.
#pragma once

#include <memory>
#include <vector>

#include "grpcpp/support/server_interceptor.h"

namespace tidemill::rpc {

// Returns what a server is built with to log failed calls: the method, code, message and duration
// of every call that its handler ends with a failure. Calls that are refused before are logged
// where they are refused.
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallLog();

}  // namespace tidemill::rpc
