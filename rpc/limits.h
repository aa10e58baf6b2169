// Limits of both ends of a connection.
#pragma once

namespace tidemill::rpc {

// The largest message that either end accepts. Streams of blocks send 1 to 4 MiB each.
inline constexpr int kMaxMessageBytes = 16 << 20;

// The most calls that a service answers at once. Each handler that gRPC generates holds a thread.
inline constexpr int kMaxHandlerThreads = 2'048;

// A silent connection is probed at this interval. It is closed when a probe is not answered within
// the same time.
inline constexpr int kKeepaliveMillis = 20'000;

}  // namespace tidemill::rpc
