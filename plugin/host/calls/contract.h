// Reads structs from plug-ins that were compiled against an earlier or a later plugin.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace tidemill::plugin::host {

// Returns the members that this host knows of a struct that begins with its size. Members that the
// plug-in's struct lacks are zeros.
template <typename Struct>
Struct Known(const void* given) {
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  Struct known;
  std::memset(&known, 0, sizeof known);
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

// Returns an empty struct for a plug-in to read or to fill.
template <typename Struct>
Struct Sized() {
  Struct empty = {};
  empty.size = sizeof empty;
  return empty;
}

// An array of such structs. The distance between two of them is their size.
template <typename Struct>
std::vector<Struct> KnownOnes(const Struct* given, size_t count) {
  std::vector<Struct> known;
  const auto* at = reinterpret_cast<const std::byte*>(given);
  for (size_t i = 0; given != nullptr && i < count; ++i) {
    known.push_back(Known<Struct>(at));
    if (known.back().size == 0) return known;
    at += known.back().size;
  }
  return known;
}

}  // namespace tidemill::plugin::host
