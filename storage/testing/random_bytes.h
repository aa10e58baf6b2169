// Random bytes, for tests of formats.
#pragma once

#include <random>
#include <string>

namespace tidemill::storage::testing {

inline std::string RandomBytes(std::mt19937& random, size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(random());
  return bytes;
}

}  // namespace tidemill::storage::testing
