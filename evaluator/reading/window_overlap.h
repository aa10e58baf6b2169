// How often windows read the same samples.
#pragma once

#include <span>

#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Returns how often a sample of these windows is read again by another one of them, on average, as
// far as their times tell: 0 when they do not overlap. An absent bound is that of the window that
// reaches farthest.
double OverlapOf(std::span<const v1::JobWindow> windows);

}  // namespace tidemill::evaluator
