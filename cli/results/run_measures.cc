#include "cli/results/run_measures.h"

#include <algorithm>
#include <array>

#include "config/config.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {

bool LowerIsBetter(std::string_view measure) {
  constexpr std::array<std::string_view, 8> kErrors = {
      "mae",   "rmse", "mse", "log_loss", "calibration_error", "expected_calibration_error",
      "brier", "loss"};
  return std::find(kErrors.begin(), kErrors.end(), measure) != kErrors.end();
}

bool IsShare(std::string_view measure) {
  return !LowerIsBetter(measure) && measure != "r2" && evaluator::MeasureNamed(measure) != nullptr;
}

bool IsOfValues(std::string_view measure) {
  return measure == "mae" || measure == "rmse" || measure == "mse" || measure == "r2";
}

std::shared_ptr<const evaluator::Measure> PluginMeasureOf(const supervisor::v1::GetRunResponse& run,
                                                          int32_t evaluation,
                                                          const std::string& name) {
  if (evaluator::MeasureNamed(name) != nullptr) return nullptr;
  const auto spec = config::ReadKept<supervisor::PipelineSpec>(run.pipeline_resolved(), "pipeline");
  const auto place = static_cast<size_t>(evaluation);
  if (!spec.ok() || place >= spec->evaluation.size()) return nullptr;
  for (const evaluator::MeasureSpec& measure : spec->evaluation[place].measures) {
    if (measure->Name() != name) continue;
    std::shared_ptr<evaluator::Measure> found = measure->Clone();
    found->Open();
    return found;
  }
  return nullptr;
}

}  // namespace tidemill::cli
