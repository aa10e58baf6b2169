// A consumer's choices about the transport of batches.
#pragma once

#include <cstdint>

namespace tidemill::preprocess {

enum class Transport {
  kAuto,    // A ring of shared memory when both are on one host, else frames.
  kRing,    // The same, but falling back to frames is counted as a failed ring.
  kFrames,  // gRPC.
};

// Whether frames are compressed. kAuto: the worker repeatedly measures its gain and its cost. kLz4,
// kZstd: always, unless that makes a batch larger.
enum class CompressionChoice { kAuto, kNone, kLz4, kZstd };

struct LinkOptions {
  Transport transport = Transport::kAuto;
  CompressionChoice compression = CompressionChoice::kAuto;
  // The size of a ring: shared memory that holds the batches not released yet. It grows by one
  // batch when the batch that the consumer waits for would not fit.
  int64_t ring_bytes = int64_t{64} << 20;
  // Whether the consumer may change the rows of a batch that it holds. Otherwise a write to the
  // ring is a fault of the process.
  bool rows_are_writable = false;
};

}  // namespace tidemill::preprocess
