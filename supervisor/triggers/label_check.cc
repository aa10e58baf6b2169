#include "supervisor/triggers/label_check.h"

#include "fmt/format.h"

namespace tidemill::supervisor {

void CheckMistakes(const transform::DescribedSamples& samples, std::string_view key,
                   bool of_classes, config::Problems& problems) {
  const transform::LabelKind label = samples.schema.label;
  if (label == transform::LabelKind::kNone) {
    problems.Add(key, fmt::format("'{}' has no labels to be wrong about", samples.dataset),
                 "name its label, or take another policy");
  } else if (of_classes && label == transform::LabelKind::kReal) {
    problems.Add(
        key,
        fmt::format("counts mistakes, and the label of '{}' is a real number", samples.dataset),
        key == "detector" ? "real labels: adwin, page_hinkley"
                          : "write measure: mean_absolute_error");
  }
}

}  // namespace tidemill::supervisor
