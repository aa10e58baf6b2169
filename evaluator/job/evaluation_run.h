// Runs one job, from its description to its last report.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "evaluator/job/arithmetic.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Measures every window of `job`, and reports each window when it is done. Returns OK even when
// models or windows failed; their scores say so. UNAVAILABLE or DEADLINE_EXCEEDED when a service
// cannot be reached. Any other code means that the job cannot be done.
absl::Status RunEvaluation(const v1::EvaluationJob& job, const Arithmetic& arithmetic,
                           const std::function<void(const v1::JobReport&)>& report);

// The main() of a job of either kind. `job_path` is a file with an EvaluationJob. `report` takes
// the lines of the reports. Returns the exit code of the process.
int RunEvaluationJob(const std::string& job_path, const ArithmeticOn& arithmetic_on,
                     const std::function<void(const std::string& line)>& report);

}  // namespace tidemill::evaluator
