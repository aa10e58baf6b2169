// A prepared batch in transit from a worker to a consumer.
#pragma once

#include <cstdint>
#include <string>

#include "batch/batch.h"

namespace tidemill::preprocess {

// A message is identified by (lane, number). The content of a batch depends only on its identity
// and on the job, so two messages with the same identity differ only in their attempt.
struct BatchMessage {
  int32_t lane = 0;
  int64_t number = 0;
  // The attempt of the split that it belongs to.
  int32_t attempt = 1;
  // Without rows and columns when all samples were skipped or filtered.
  batch::Batch rows = {};
  int64_t num_skipped = 0;
  int64_t num_filtered = 0;
  // The reason for one of the skipped samples. Empty when none was skipped.
  std::string reason = {};
};

// Returns the credits of a message: the uncompressed bytes of its rows in the message; 0 without
// rows.
int64_t BytesOf(const BatchMessage& message);

}  // namespace tidemill::preprocess
