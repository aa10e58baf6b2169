// A run as the services would tell it, for tests.
#pragma once

#include <string>

#include "cli/results/run_record.h"

namespace tidemill::cli::testing {

// A run named `pipeline` over `num_windows` days with a trigger at the end of each day but the
// last, so that window w (from 1) is day w, model m was trained to the end of day m, and model w -
// 1 is in use in window w. The accuracy of model m on window w is 1 - |w - m| / (2 * num_windows);
// each window has 100 samples. Loss curves have three points.
RunRecord ExampleRun(const std::string& pipeline, int num_windows);

}  // namespace tidemill::cli::testing
