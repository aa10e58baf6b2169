// Files packed with the tools that storage unpacks.
#pragma once

#include <string>
#include <string_view>

#include "storage/testing/generated_dataset.h"

namespace tidemill::storage::testing {

enum class Packing { kGzip, kXz, kZstd };

// Returns the suffix of the tool's files: ".gz", ".xz" or ".zst".
std::string SuffixOf(Packing packing);

std::string Pack(std::string_view bytes, Packing packing);

// Packs each file of the dataset and names it accordingly. Its files must all have the same suffix,
// and none may be packed yet.
GeneratedDataset Packed(GeneratedDataset dataset, Packing packing);

}  // namespace tidemill::storage::testing
