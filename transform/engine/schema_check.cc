#include "transform/engine/schema_check.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::transform {

std::string_view Describe(LabelKind label) {
  switch (label) {
    case LabelKind::kNone:
      return "missing";
    case LabelKind::kReal:
      return "a real number";
    case LabelKind::kClass:
      break;
  }
  return "a class";
}

void CheckColumn(const DescribedSamples& samples, std::string_view at, const std::string& column,
                 config::Problems& problems) {
  const SampleSchema& schema = samples.schema;
  if (schema.payload != PayloadKind::kCsv && schema.payload != PayloadKind::kJson) {
    problems.Add(at, fmt::format("the records of '{}' have no columns", samples.dataset),
                 "only csv and jsonl have columns");
  } else if (schema.columns &&
             std::ranges::find(*schema.columns, column) == schema.columns->end()) {
    std::string hint = config::DidYouMean(column, *schema.columns);
    if (hint.empty()) hint = fmt::format("columns: {}", fmt::join(*schema.columns, ", "));
    problems.Add(at, fmt::format("'{}' has no column '{}'", samples.dataset, column), hint);
  }
}

}  // namespace tidemill::transform
