// Unpacks an input with one decoder.
#pragma once

#include <string_view>

#include "storage/compression/decoder.h"

namespace tidemill::fuzz {

// Unpacks it in one piece, and in small pieces with little room for the output. When both succeed,
// they must agree.
void TryDecoder(absl::StatusOr<std::unique_ptr<storage::StreamDecoder>> (*make)(),
                std::string_view input);

}  // namespace tidemill::fuzz
