// The protocol between a server and its zygote. A request and an answer are one message each of a
// SOCK_SEQPACKET pair:
//
//   byte 0      what: kForkJob, kExecuteJob, kEndJob or kKillJob
//   bytes 1-8   the job's number, as the server counts
//   the rest    the arguments, each ended by a zero byte
//
// A request for a job carries two descriptors: the write ends of its report pipe and of its exit
// pipe. The zygote keeps the latter, and writes one line when the job ends: "code N NANOS",
// "signal N NANOS" or "lost REASON". NANOS is the time that the process had on processors. An exit
// pipe that ends without a line means that the zygote itself is gone.
#pragma once

#include <cstddef>

namespace tidemill::process {

inline constexpr char kForkJob = 'F';
inline constexpr char kExecuteJob = 'X';
// SIGTERM, and SIGKILL after some milliseconds, which are its argument.
inline constexpr char kEndJob = 'E';
inline constexpr char kKillJob = 'K';
inline constexpr size_t kMaxMessage = size_t{1} << 16;

// The descriptor on which a zygote finds its socket, and a job its report.
inline constexpr int kInheritedFd = 3;

}  // namespace tidemill::process
