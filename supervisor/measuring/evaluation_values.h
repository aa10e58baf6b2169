// The values of a run's evaluations, as GetRun() tells them.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// What a response holds of slices and of details, the first ones: a run with more of them must
// still fit in a message. The evaluator has all.
struct ValueLimits {
  int64_t slice_values = 40'000;
  int64_t detail_bytes = int64_t{4} << 20;
};

// Removes the values of baselines, which are no models, and returns them.
std::vector<evaluator::v1::Evaluation> TakeBaselines(
    std::vector<evaluator::v1::Evaluation>& evaluations);

// Of models.
void AddEvaluations(const std::vector<evaluator::v1::Evaluation>& evaluations,
                    v1::GetRunResponse& response, const ValueLimits& limits = {});

void AddBaselines(const std::vector<evaluator::v1::Evaluation>& baselines,
                  v1::GetRunResponse& response);

}  // namespace tidemill::supervisor
