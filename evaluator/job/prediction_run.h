// The course of a job that predicts: it loads one model and answers records until it is stopped.
#pragma once

#include <functional>

#include "base/status.h"
#include "evaluator/job/arithmetic.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Loads the model of `job.prediction()`, listens, reports that it listens, and answers one
// connection after another. Returns when that fails, and with OK when a process that has a GPU has
// been idle for some seconds. The answer about a record is computed by
// ColumnMaker, as for a sample of the dataset that the model was trained on.
//
// NOT_FOUND when the model is unknown. FAILED_PRECONDITION when it makes no predictions. DATA_LOSS
// when it is damaged. UNAVAILABLE or DEADLINE_EXCEEDED when the model store cannot be reached.
absl::Status RunPredictions(const v1::EvaluationJob& job, const Arithmetic& arithmetic,
                            const std::function<void(const v1::JobReport&)>& report);

}  // namespace tidemill::evaluator
