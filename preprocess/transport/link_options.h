// How batches come from a worker to a consumer: what a consumer may choose.
#pragma once

#include <cstdint>

namespace tidemill::preprocess {

enum class Transport {
  kAuto,    // A ring of shared memory where both are on one host, else frames.
  kRing,    // As above, and frames when it fails, which is counted.
  kFrames,  // gRPC.
};

// Whether frames are compressed. kAuto: by the worker's measurement of what it saves and costs,
// again and again; kLz4, kZstd: always, where that makes a batch smaller.
enum class CompressionChoice { kAuto, kNone, kLz4, kZstd };

struct LinkOptions {
  Transport transport = Transport::kAuto;
  CompressionChoice compression = CompressionChoice::kAuto;
  // Of a ring: shared memory that holds batches not yet released; it grows by one batch where the
  // one that the consumer waits for would not fit.
  int64_t ring_bytes = int64_t{64} << 20;
};

}  // namespace tidemill::preprocess
