// Writes the answers of a model about samples as a column file.
#pragma once

#include "base/status.h"
#include "evaluator/job/arithmetic.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Writes the file of `job.columns()`; see docs/formats/column_files.md. Samples are read in blocks,
// so that memory is bounded whatever their number. A sample without an answer is left out; the
// others are not affected. It cannot be read or decoded, or the result of the network is not
// finite.
//
// NOT_FOUND when the model is unknown. FAILED_PRECONDITION when it does not fit the dataset, or
// cannot answer the request, or when the file would exceed its limit. DATA_LOSS when the model is
// damaged. UNAVAILABLE or DEADLINE_EXCEEDED when a service cannot be reached.
absl::Status WriteModelColumns(const v1::EvaluationJob& job, const Arithmetic& arithmetic);

}  // namespace tidemill::evaluator
