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

// How to write a name that does not fit into a header.
enum class LongNames { kPax, kGnu };

// Returns a member with its headers. A long name is split at a slash if that is enough.
std::string TarMemberBytes(const TarEntry& entry, LongNames long_names = LongNames::kPax);

// A single header. `target` is the target of a link.
std::string TarHeader(const std::string& name, const std::string& prefix, int64_t size, char type,
                      const std::string& target = "");

// The mark of an archive's end.
std::string TarEnd();

}  // namespace tidemill::storage::testing
