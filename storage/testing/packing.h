// Files packed with the tools that storage unpacks.
#pragma once

#include <string>
#include <string_view>

#include "storage/testing/generated_dataset.h"

namespace tidemill::storage::testing {

enum class Packing { kGzip, kXz, kZstd };

// What the tool calls its files: ".gz", ".xz" or ".zst".
std::string SuffixOf(Packing packing);

std::string Pack(std::string_view bytes, Packing packing);

// The dataset with each of its files packed and named so. Its files all end alike, and none is
// packed yet.
GeneratedDataset Packed(GeneratedDataset dataset, Packing packing);

}  // namespace tidemill::storage::testing
