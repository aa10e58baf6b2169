// Logs calls that fail and calls that are refused. Callers can make both as often as they like.
#pragma once

#include <memory>
#include <vector>

#include "grpcpp/support/server_interceptor.h"

#include "base/logs/sparse_log.h"

namespace tidemill::rpc {

// Returns what a server is built with to log failed calls: the method, code, message and duration
// of every call that its handler ends with a failure. Calls that are refused before are logged
// where they are refused. At most kFailedLines a second; the rest is counted.
inline constexpr int kFailedLines = 20;
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallLog();

// The log of this process for calls that are refused before their handlers run: one line a second.
log::SparseLog& RefusedCallLog();

// Says what both left out and have not told yet.
void TellLeftOutCalls();

}  // namespace tidemill::rpc
