// The scores that one model of a run has reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

struct ModelScore {
  std::string dataset;
  std::string measure;
  double value = 0;
  // The better of the rules without a model on the same windows.
  std::optional<double> baseline = std::nullopt;
  std::string baseline_name = {};
};

// Returns the value of the first measure on the windows in which the trigger's model was in use;
// in a run whose evaluations are not divided by time, on all that it was measured on. std::nullopt
// when there is none.
std::optional<ModelScore> ScoreOfModel(const supervisor::v1::GetRunResponse& run, int64_t trigger);

}  // namespace tidemill::cli
