// Weights of networks for tests that run the job program without needing torch themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::evaluator::testing {

// Returns the weights of a linear network, {type: mlp, hidden: [], outputs: 2}, that predicts HIGH
// when x > threshold.
std::string LinearWeights(float threshold);

// Returns weights of {type: mlp, hidden: [<hidden>], outputs: 2} on one number, which are the same
// at each call. Hidden unit i is relu(a_i x + b_i).
std::string HiddenWeights(int64_t hidden);
// Returns the inputs of such a network's last layer for `x`, in double precision.
std::vector<double> HiddenUnits(int64_t hidden, double x);

}  // namespace tidemill::evaluator::testing
