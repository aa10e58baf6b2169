// Logs calls that fail and calls that are refused. Callers can make both as often as they like.
#pragma once

#include <memory>
#include <vector>

#include "grpcpp/support/server_interceptor.h"

#include "base/logs/sparse_log.h"

namespace tidemill::rpc {

// Returns the interceptor factory with which a server logs failed calls: the method, code, message
// and duration of every call that its handler ends with a failure. Calls refused before their
// handlers are logged where they are refused. Logs at most kFailedLines per second, and counts the
// rest. A call whose request does not parse ends with INVALID_ARGUMENT, for which gRPC has INTERNAL
// without a message.
inline constexpr int kFailedLines = 20;
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallLog();

// The log of this process for calls that are refused before their handlers run: one line a second.
log::SparseLog& RefusedCallLog();

// Logs the number of lines that both logs have left out and not reported yet.
void TellLeftOutCalls();

}  // namespace tidemill::rpc
