// Datasets like those of generated_dataset.h, in the formats of other tools, some compressed.
#pragma once

#include <string>

#include "storage/testing/generated_dataset.h"

namespace tidemill::storage::testing {

// JSON lines; label and time are nested fields.
GeneratedDataset MakePlainJsonl(const std::string& root, int num_samples);
// The same packed with zstd, each file in two frames.
GeneratedDataset MakeJsonl(const std::string& root, int num_samples);
// Archives in WebDataset's layout. The label is a text, the time a field of a JSON member.
GeneratedDataset MakeTar(const std::string& root, int num_samples);
// TFRecords of Examples.
GeneratedDataset MakePlainTfRecords(const std::string& root, int num_samples);
// The same packed with xz.
GeneratedDataset MakeTfRecords(const std::string& root, int num_samples);

}  // namespace tidemill::storage::testing
