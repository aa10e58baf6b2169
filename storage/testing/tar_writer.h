// Tar archives, written without the code under test.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::storage::testing {

struct TarEntry {
  std::string name;
  std::string bytes = {};
  char type = '0';
};

// How a name that does not fit a header is written.
enum class LongNames { kPax, kGnu };

// A member with its headers. The name of a long one is split at a slash where that is enough.
std::string TarMemberBytes(const TarEntry& entry, LongNames long_names = LongNames::kPax);

// A single header.
std::string TarHeader(const std::string& name, const std::string& prefix, int64_t size, char type);

// The mark of an archive's end.
std::string TarEnd();

}  // namespace tidemill::storage::testing
