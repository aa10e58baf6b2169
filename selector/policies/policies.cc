#include "selector/policies/policies.h"

#include <type_traits>
#include <variant>

namespace tidemill::selector {

std::unique_ptr<Chooser> MakeChooser(const SelectionSpec& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::visit(
      [&]<typename Policy>(const Policy& policy) -> std::unique_ptr<Chooser> {
        if constexpr (std::is_same_v<Policy, SelectionSchedule>) {
          return nullptr;  // PolicyOf() never gives one.
        } else {
          return MakeChooser(policy, random, workplace, into);
        }
      },
      PolicyOf(spec, random.trigger));
}

}  // namespace tidemill::selector
