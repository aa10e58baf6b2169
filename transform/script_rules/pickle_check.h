// Checks a pickle of a TorchScript file by walking through it, before libtorch builds its objects.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::models {

// Returns the size of the record with the numbers of a tensor, by its key in the pickle;
// std::nullopt without such a record.
using StorageSize = std::function<std::optional<uint64_t>(const std::string& key)>;

// INVALID_ARGUMENT for
// - a class that is neither defined in the script nor a container of tensors or lists, because a
// C++ class of libtorch would run its own code;
// - a tensor with more numbers than its record has, which would expose the memory after it;
// - an opcode that pickles of TorchScript do not use.
absl::Status CheckPickle(std::string_view bytes, const StorageSize& size_of);

}  // namespace tidemill::models
