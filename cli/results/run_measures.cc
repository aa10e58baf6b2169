#include "cli/results/run_measures.h"

#include "config/config.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {

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
