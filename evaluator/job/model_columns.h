// What a model says of samples, as a column file.
#pragma once

#include "base/status.h"
#include "evaluator/job/arithmetic.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Writes the file of `job.columns()`; see docs/formats/column_files.md. Samples are read in blocks,
// so that memory is bounded whatever their number. A sample of which nothing can be said (it cannot
// be read or decoded, or what the network makes of it is not finite) is left out and costs itself
// alone.
//
// NOT_FOUND for an unknown model; FAILED_PRECONDITION for one that does not fit the dataset, or
// that does not have what is asked for; DATA_LOSS for one that is damaged; RESOURCE_EXHAUSTED when
// the file would be larger than it may be. UNAVAILABLE or DEADLINE_EXCEEDED when a service is not
// to be reached.
absl::Status WriteModelColumns(const v1::EvaluationJob& job, const Arithmetic& arithmetic);

}  // namespace tidemill::evaluator
