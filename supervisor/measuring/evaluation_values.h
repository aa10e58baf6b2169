// The values of a run's evaluations in GetRun()'s response.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/evaluator/v1/evaluation.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// The most values of slices and bytes of details in a response. The first ones are kept, so that a
// run with many of them fits into a message; the response says how many are left out. The evaluator
// has all.
struct ValueLimits {
  int64_t slice_values = 40'000;
  int64_t detail_bytes = int64_t{4} << 20;
};

// Adds the values, in their order. Sums are kept where people pool them: see evaluation.proto.
void AddResults(std::vector<evaluator::v1::Evaluation> values, v1::GetRunResponse& response,
                const ValueLimits& limits = {});

}  // namespace tidemill::supervisor
