#include "selector/policies/all_data.h"

namespace tidemill::selector {

std::unique_ptr<Chooser> MakeChooser(const AllData& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return MakeLimitedChooser(spec.limit, spec.limit_by, random, workplace, into);
}

}  // namespace tidemill::selector
