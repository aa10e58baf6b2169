// The Mann-Whitney test: are the values of one sample greater than those of the other?
#pragma once

#include <cstdint>
#include <span>

#include "supervisor/statistics/two_samples/kolmogorov_smirnov.h"

namespace tidemill::supervisor::statistics {

struct MannWhitney {
  // The chance that a current value is greater than one of the reference; ties count half. It is
  // the area under the ROC curve of values as scores of being current.
  double roc_auc = 0.5;
  double p_value = 1;
  bool exact = true;
};

// p is exact for samples of at most 20 values without ties between them (Mann and Whitney, "On a
// test of whether one of two random variables is stochastically larger than the other", 1947,
// section 4). Otherwise it comes from the normal limit, with a correction for ties and none for
// continuity. kGreater: current values are greater. O((n + m) log(n + m)).
MannWhitney MannWhitneyTest(std::span<const double> reference, std::span<const double> current,
                            Alternative alternative = Alternative::kTwoSided);

}  // namespace tidemill::supervisor::statistics
