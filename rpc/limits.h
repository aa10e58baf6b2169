// Limits that both ends of a connection keep.
#pragma once

namespace tidemill::rpc {

// The largest message either end accepts. Streams of blocks send 1 to 4 MiB each.
inline constexpr int kMaxMessageBytes = 16 << 20;

// A silent connection is probed this often, and given up after as long without an answer.
inline constexpr int kKeepaliveMillis = 20'000;

}  // namespace tidemill::rpc
