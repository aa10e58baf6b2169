// The number from which trainings on equal sets draw alike.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::models {

// Returns the number of random draws for trainings on a set, above 0. It is a function of the set's
// digest, so that the runs that train on it draw alike, whatever the number of their trigger.
int64_t DrawOf(const std::string& training_set_digest);

}  // namespace tidemill::models
