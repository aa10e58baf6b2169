// Converts a dataset's spec to what a graph must know about its samples.
#pragma once

#include "storage/client/dataset_spec.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::samples {

transform::SampleSchema SchemaOf(const storage::DatasetSpec& dataset);

}  // namespace tidemill::samples
