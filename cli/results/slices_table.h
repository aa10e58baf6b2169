// The values of the models in use on parts of their windows.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/rows.h"
#include "results/sample_mean.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Draws a table for each evaluation with slices. There is one row per measure and slice; the
// largest slice of a measure comes first. A row has one value of the active models over the windows
// in which they were active, and the kind of that value. Without an active model, as on a whole
// dataset, it is the value of the last model. Empty without slices.
std::string DrawSlices(const supervisor::v1::GetRunResponse& run);

// One measure on the slices of the windows of the models that count; see results::InUse().
struct SlicedMeasure {
  results::Measured of;
  std::shared_ptr<const evaluator::Measure> of_pipeline = nullptr;
  std::map<std::string, results::SampleMean> slices = {};
};
// In the order of the evaluations. They are views of the run.
std::vector<SlicedMeasure> SlicedMeasures(const supervisor::v1::GetRunResponse& run);

// Returns a line each about values of slices and details, such as confusion matrices, that the
// response has no room for. Empty without any.
std::string DescribeBeyondLimits(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
