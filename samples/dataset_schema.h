// Converts a dataset's spec to the schema of its samples that a graph needs.
#pragma once

#include "storage/spec/dataset_spec.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::samples {

transform::SampleSchema SchemaOf(const storage::DatasetSpec& dataset);

}  // namespace tidemill::samples
