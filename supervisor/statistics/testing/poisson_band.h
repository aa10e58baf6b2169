// How many false alarms there may be.
#pragma once

#include <cmath>
#include <cstdint>

namespace tidemill::supervisor::statistics::testing {

// The least and the greatest number of events that a Poisson variable with this mean takes with 95
// %. At most 2.5 % are below and above each. Counts of false alarms are compared with it.
struct PoissonBand {
  int64_t low = 0;
  int64_t high = 0;
};

inline PoissonBand PoissonBandOf(double mean) {
  PoissonBand band;
  double below = 0;
  for (int64_t events = 0;; ++events) {
    const double log_mass = static_cast<double>(events) * std::log(mean) - mean -
                            std::lgamma(static_cast<double>(events) + 1);
    const double up_to = below + std::exp(log_mass);
    if (below <= 0.025) band.low = events;
    band.high = events;
    if (up_to >= 0.975) return band;
    below = up_to;
  }
}

}  // namespace tidemill::supervisor::statistics::testing
