#include "selector/choosing/chooser.h"

#include "selector/policies/policy_list.h"

namespace tidemill::selector {

std::unique_ptr<Chooser> ChooserFor(const SelectionSpec& spec, const RandomKey& random,
                                    const Workplace& workplace, TrainingSetWriter& into) {
  return config::Dispatch(Policies(), spec->PolicyAt(random.trigger), [&](const auto& policy) {
    return MakeChooser(policy, random, workplace, into);
  });
}

}  // namespace tidemill::selector
