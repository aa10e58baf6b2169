// The accuracy matrix: one row per model, one column per window of time.
#pragma once

#include <string>

#include "cli/terminal/view.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Draws, for each measure of the run's evaluations, the matrix of the values of all samples. Below
// it are the composite series as one value each, and the baselines. Measures that only have a
// detail are left out. When the view has no room for the whole matrix, evenly spaced rows and
// columns are shown, and a line gives both numbers. If the view takes colours, the cells are
// coloured from light for the worst value of the matrix to dark for its best. Empty when nothing
// was evaluated.
//
//   accuracy on seattle_weather, in %: model (row) by window (column)
//        trained to  1   2   3
//      1 2012-05-01 71  64* 60
//      2 2012-08-31 66  70  68*
//     active (*, scored before it was trained on the window): 0.6612 per sample, over 1,341 samples
std::string DrawMatrices(const supervisor::v1::GetRunResponse& run, const View& view);

}  // namespace tidemill::cli
