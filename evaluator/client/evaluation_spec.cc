#include "evaluator/client/evaluation_spec.h"

#include <set>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "expressions/expression.h"

namespace tidemill::evaluator {

void ExpressionSlices::Check(config::Problems& problems) const {
  CheckBins(bins, problems);
  const auto parsed = expressions::Expression::Parse(value);
  if (!parsed.ok()) problems.Add("value", std::string(parsed.status().message()), "");
}

void EvaluationSpec::Check(config::Problems& problems) const {
  if (measures.empty()) {
    problems.Add("measures", "is empty", "name at least one, such as accuracy");
  }
  std::set<std::string> names;
  for (const MeasureSpec& measure : measures) {
    if (!names.insert(measure->Name()).second) {
      problems.Add("measures", "has " + measure->Name() + " twice", "remove one");
    }
    const auto of_classes = measure->IsOfClasses();
    if (of_classes && measures.front()->IsOfClasses().value_or(*of_classes) != *of_classes) {
      problems.Add("measures", "mixes measures for classes with measures for real values",
                   "keep those that fit the dataset's label");
    }
  }
  std::set<std::string> sliced;
  for (const SliceSpec& slice : slices) {
    if (!sliced.insert(NameOf(slice)).second) {
      problems.Add("slices", "has " + NameOf(slice) + " twice", "remove one");
    }
  }
}

void EvaluationSpec::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  for (size_t i = 0; i < measures.size(); ++i) {
    const config::Problems::Scope scope(problems, fmt::format("measures[{}]", i));
    measures[i]->TakeFiles(files, problems);
  }
}

std::vector<std::string> EvaluationSpec::RunsWith() const {
  std::vector<std::string> all;
  for (const MeasureSpec& measure : measures) {
    if (std::string own = measure->RunsWith(); !own.empty()) all.push_back(std::move(own));
  }
  return all;
}

void EvaluationSpec::OpenMeasures() {
  for (MeasureSpec& measure : measures) measure->Open();
}

}  // namespace tidemill::evaluator

TIDEMILL_CONFIG_TYPE(tidemill::evaluator::EvaluationSpec);
