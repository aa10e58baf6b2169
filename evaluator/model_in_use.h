// Finds the model that a pipeline has in use.
#pragma once

#include "evaluator/evaluator_service.h"
#include "rpc/service_main.h"

namespace tidemill::evaluator {

// Returns a function that asks the supervisor. The function returns FAILED_PRECONDITION in a
// cluster without one. Also returns the errors of ServiceContext::PeerOf().
absl::StatusOr<EvaluatorService::ModelInUse> ModelsInUse(const rpc::ServiceContext& context);

}  // namespace tidemill::evaluator
