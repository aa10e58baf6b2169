// Checks that a model can be wrong about the labels of samples.
#pragma once

#include <string_view>

#include "config/documents/problems.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// Notes a problem at `key` when the dataset has no labels. With `of_classes`, it also notes one
// when the labels are real numbers: mistakes can be counted for classes only.
void CheckMistakes(const transform::DescribedSamples& samples, std::string_view key,
                   bool of_classes, config::Problems& problems);

}  // namespace tidemill::supervisor
