// Checks the requirements of a part of a pipeline against the schema of the samples.
#pragma once

#include <string>
#include <string_view>

#include "config/documents/problems.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::transform {

// The facts about the samples of a dataset that are known before any is read.
struct DescribedSamples {
  std::string dataset;  // The name of the dataset, for messages.
  SampleSchema schema;
};

// Describes the kind of a label in a sentence: "the label of 'weather' is a class".
std::string_view Describe(LabelKind label);

// Notes a problem at `at` when the records of the dataset are known to lack the column.
void CheckColumn(const DescribedSamples& samples, std::string_view at, const std::string& column,
                 config::Problems& problems);

}  // namespace tidemill::transform
