// The values of a run's evaluations in the form of GetRun()'s response.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// The most values of slices and bytes of details in a response. The first ones are kept, so that a
// run with many of them fits into a message; the response says how many are left out. The evaluator
// has all.
struct ValueLimits {
  int64_t slice_values = 40'000;
  int64_t detail_bytes = int64_t{4} << 20;
};

// Removes the values of baselines, which are not models, and returns them.
std::vector<evaluator::v1::Evaluation> TakeBaselines(
    std::vector<evaluator::v1::Evaluation>& evaluations);

// Adds the values of models.
void AddEvaluations(const std::vector<evaluator::v1::Evaluation>& evaluations,
                    v1::GetRunResponse& response, const ValueLimits& limits = {});

void AddBaselines(const std::vector<evaluator::v1::Evaluation>& baselines,
                  v1::GetRunResponse& response);

}  // namespace tidemill::supervisor
