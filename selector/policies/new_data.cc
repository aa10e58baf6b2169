#include "selector/policies/new_data.h"

namespace tidemill::selector {

std::unique_ptr<Chooser> MakeChooser(const NewData& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return MakeLimitedChooser(spec.limit, spec.limit_by, random, workplace, into);
}

}  // namespace tidemill::selector
