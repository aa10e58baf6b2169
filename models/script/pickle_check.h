// Checks a pickle of a TorchScript file by walking through it, before libtorch makes objects of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::models {

// The bytes of the record with the numbers of a tensor, by the key that the pickle has for it;
// std::nullopt: there is no such record.
using StorageSize = std::function<std::optional<uint64_t>(const std::string& key)>;

// INVALID_ARGUMENT for
// - a class that is neither of the script's own nor one that holds tensors and lists: what libtorch
//   has in C++ would run code of its own;
// - a tensor with more numbers than its record has, which would show what lies behind it in memory;
// - what the pickles of TorchScript do not have.
absl::Status CheckPickle(std::string_view bytes, const StorageSize& size_of);

}  // namespace tidemill::models
