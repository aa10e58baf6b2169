// A prepared batch on its way from a worker to a consumer.
#pragma once

#include <cstdint>
#include <string>

#include "batch/batch.h"

namespace tidemill::preprocess {

// Identity is (lane, number); what a batch holds depends on it and the job alone, so two messages
// of the same identity are equal but for their attempt. Of a job with late rows
// (JobSpec.slow_after) a message may hold some of the rows: which, their ordinals say; the one that
// comes last says how many samples of the batch were skipped, and all of them together are the
// batch.
struct BatchMessage {
  int32_t lane = 0;
  int64_t number = 0;
  // Of the split that it belongs to.
  int32_t attempt = 1;
  // Without rows and columns when all its samples were skipped.
  batch::Batch rows = {};
  int64_t num_skipped = 0;
  // Why one of the skipped samples was; empty when none was.
  std::string reason = {};
};

// What a message counts for in credits: its rows as they are on the wire, uncompressed; 0 without
// any.
int64_t BytesOf(const BatchMessage& message);

}  // namespace tidemill::preprocess
