// Whether samples have labels that a model can be wrong about.
#pragma once

#include <string_view>

#include "config/problems.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// Notes a problem at `key`, which needs mistakes, as classes have them, or, for `of_classes` false,
// a distance, as real labels have it, where the labels are no such ones.
void CheckMistakes(const transform::DescribedSamples& samples, std::string_view key,
                   bool of_classes, config::Problems& problems);

}  // namespace tidemill::supervisor
