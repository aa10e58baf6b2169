#include "selector/policies/schedule.h"

#include "selector/choosing/chooser.h"

namespace tidemill::selector {

std::unique_ptr<Chooser> MakeChooser(const SelectionSchedule& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return ChooserFor(spec, random, workplace, into);
}

}  // namespace tidemill::selector
