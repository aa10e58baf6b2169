// What the models of one run have reached, as a sweep compares runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "supervisor/pipeline/pipeline_spec.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// The value of one window, for the curve of a run.
struct WindowValue {
  int64_t from = 0;  // Event times in microseconds.
  int64_t to = 0;
  int64_t trigger = 0;  // The number of the model in use.
  double value = 0;
};

struct SweepValue {
  std::string dataset = {};
  std::string measure = {};
  double value = 0;
  // The 95 % interval of this run alone, where it has one.
  std::optional<std::pair<double, double>> interval = std::nullopt;
  int64_t num_samples = 0;
  // The better of the rules without a model on the same windows: `constant` or `last`.
  std::optional<double> baseline = std::nullopt;
  std::string baseline_name = {};
  bool lower_is_better = false;
  // Whether no model was in use in any window, and the value is that of the last model.
  bool is_of_last_model = false;
  std::vector<WindowValue> windows = {};
};

// Returns the pooled value of the models in use, else of the last model: of `measure`, by its name
// in results, or of the first one that has a value when it is empty. std::nullopt when nothing is
// measured. The same as the value in `tidemill runs list` and `tidemill compare`.
std::optional<SweepValue> ValueOf(const supervisor::v1::GetRunResponse& run,
                                  const std::string& measure);

// Returns the names of the measures of a pipeline, in order, each once.
std::vector<std::string> MeasuresOf(const supervisor::PipelineSpec& pipeline);

}  // namespace tidemill::cli
