// Weights of networks for tests that run the job program but need no torch themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::evaluator::testing {

// Of a linear network, {type: mlp, hidden: [], outputs: 2}, that says HIGH where x > threshold.
std::string LinearWeights(float threshold);

// Of {type: mlp, hidden: [<hidden>], outputs: 2} on one number, the same at each call: hidden unit
// i is relu(a_i x + b_i).
std::string HiddenWeights(int64_t hidden);
// What such a network's last layer is given for `x`, in double precision.
std::vector<double> HiddenUnits(int64_t hidden, double x);

}  // namespace tidemill::evaluator::testing
