// Limits that the ends of a connection obey.
#pragma once

namespace tidemill::rpc {

// The largest message that either end accepts. Streams of blocks send 1 to 4 MiB each.
inline constexpr int kMaxMessageBytes = 16 << 20;

// Handlers that gRPC generates hold a thread each. A service answers no more calls at once.
inline constexpr int kMaxHandlerThreads = 2'048;

// A silent connection is probed this often. It is given up when there is no answer for as long.
inline constexpr int kKeepaliveMillis = 20'000;

}  // namespace tidemill::rpc
