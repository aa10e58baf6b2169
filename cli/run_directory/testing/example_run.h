// A run in the form in which the services describe it, for tests.
#pragma once

#include <string>

#include "cli/results/selections/run_record.h"

namespace tidemill::cli::testing {

// Returns a run named `pipeline` over `num_windows` days, with a trigger at the end of each day but
// the last. Window w (from 1) is day w. Model m was trained up to the end of day m. Model w - 1 is
// in use in window w. The accuracy of model m on window w is 1 - |w - m| / (2 * num_windows). Each
// window has 100 samples. Loss curves have three points.
RunRecord ExampleRun(const std::string& pipeline, int num_windows);

// Forgets which models were in use.
void ClearSeries(supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli::testing
