// The accuracy matrix: one row a model, one column a window of time.
#pragma once

#include <string>

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Draws, for each measure of the run's evaluations, the matrix of values of all samples, and below
// it the composite series with their means weighted per sample. Measures that have only a detail
// are left out. `paint` colours the cells as a heat map. Empty when nothing was evaluated.
//
//   accuracy on seattle_weather, in %: model (row) x window (column)
//                 01 02 03
//    1 2012-05-01 71 64*60
//    2 2012-08-31 66 70 68*
//   * the model that was active in that window: mean 0.6612 over 1,341 samples
std::string DrawMatrices(const supervisor::v1::GetRunResponse& run, bool paint);

}  // namespace tidemill::cli
