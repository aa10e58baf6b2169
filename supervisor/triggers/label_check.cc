#include "supervisor/triggers/label_check.h"

#include "fmt/format.h"

namespace tidemill::supervisor {

void CheckMistakes(const transform::DescribedSamples& samples, std::string_view key,
                   bool of_classes, config::Problems& problems) {
  const transform::LabelKind label = samples.schema.label;
  if (label == transform::LabelKind::kNone) {
    problems.Add(
        key,
        fmt::format("'{}' has no labels, so a model cannot be wrong about them", samples.dataset),
        "name its label, or use another policy");
  } else if (of_classes && label == transform::LabelKind::kReal) {
    problems.Add(
        key,
        fmt::format("counts mistakes, but the label of '{}' is a real number", samples.dataset),
        key == "detector" ? "real labels: adwin, page_hinkley"
                          : "write measure: mean_absolute_error");
  }
}

}  // namespace tidemill::supervisor
