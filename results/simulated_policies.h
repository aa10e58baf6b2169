// The policies with which every sweep is compared. They know only the past errors of the model in
// use, and their settings are chosen on the first windows.
#pragma once

#include <string>
#include <vector>

#include "results/schedule_costs.h"

namespace tidemill::results {

struct SimulatedPolicy {
  std::string name;
  std::string setting;  // The chosen setting, for people: "every 4 windows". May be empty.
  // One schedule, or several for a random policy; the cost is their mean.
  std::vector<Schedule> schedules;
};

// Returns, for a price of a training:
// - never, always;
// - calendar: every k windows;
// - cusum: once the sum of the errors in excess of the first one of the model, less a slack,
// exceeds
//   a threshold (Page, "Continuous inspection schemes", Biometrika 41, 1954);
// - uniform: at random, with as many trainings as the calendar.
// k, the slack and the threshold are those with the least cost on the windows before
// `judged_from`.
std::vector<SimulatedPolicy> SimulatePolicies(const ErrorMatrix& matrix, double price,
                                              size_t judged_from);

}  // namespace tidemill::results
