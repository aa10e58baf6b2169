// What a part of a pipeline asks of samples, held against what is known of them.
#pragma once

#include <string>
#include <string_view>

#include "config/problems.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::transform {

// The samples of a dataset, before any is read.
struct DescribedSamples {
  std::string dataset;  // Its name, for messages.
  SampleSchema schema;
};

// The kind of a label in a sentence: "the label of 'weather' is a class".
std::string_view Describe(LabelKind label);

// Notes a problem at `at` where records of the dataset are known not to have the column.
void CheckColumn(const DescribedSamples& samples, std::string_view at, const std::string& column,
                 config::Problems& problems);

}  // namespace tidemill::transform
