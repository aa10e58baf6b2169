// A distance between the rows of two samples, for tests that need any.
#pragma once

#include "supervisor/statistics/two_samples/distances.h"

namespace tidemill::supervisor::statistics::testing {

inline double Wasserstein(const Rows& x, const Rows& y) {
  return WassersteinDistance(x.values, y.values);
}

}  // namespace tidemill::supervisor::statistics::testing
