// What the models in use were worth on parts of their windows.
#pragma once

#include <string>

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A table for each evaluation that has slices: one row a measure and slice, the largest slice of
// a measure first, with one value of the models that were active, over the windows in which they
// were, and what kind of value it is; where no model was, as on a whole dataset, of the last model.
// Empty without slices.
std::string DrawSlices(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
