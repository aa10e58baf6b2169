// Finds the model that a pipeline has in use.
#pragma once

#include "evaluator/evaluator_service.h"
#include "rpc/service_main.h"

namespace tidemill::evaluator {

// Returns a function that asks the supervisor for the pipeline's runs, the newest first, and the
// model store for their models. The model in use is the last one of the newest run that has one
// whose parts exist, trials left out. The function returns FAILED_PRECONDITION in a cluster without
// a supervisor. Also returns the errors of ServiceContext::PeerOf().
absl::StatusOr<EvaluatorService::ModelInUse> ModelsInUse(const rpc::ServiceContext& context);

}  // namespace tidemill::evaluator
