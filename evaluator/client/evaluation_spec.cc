#include "evaluator/client/evaluation_spec.h"

#include <set>
#include <string>

namespace tidemill::evaluator {

void EvaluationSpec::Check(config::Problems& problems) const {
  if (measures.empty()) {
    problems.Add("measures", "is empty", "name at least one, such as accuracy");
  }
  std::set<std::string> names;
  for (const MeasureSpec& measure : measures) {
    if (!names.insert(measure->Name()).second) {
      problems.Add("measures", "has " + measure->Name() + " twice", "remove one");
    }
    if (measure->IsOfClasses() != measures.front()->IsOfClasses()) {
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

}  // namespace tidemill::evaluator

TIDEMILL_CONFIG_TYPE(tidemill::evaluator::EvaluationSpec);
