// Which sample of a tar archive a member belongs to, by its path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::storage {

// A path cut at the first dot of its name.
struct MemberName {
  std::string_view key;   // Adjacent members with the same key are one sample.
  std::string extension;  // In lower case, without the first dot.
};

// Returns the text with A to Z in lower case.
std::string LowerCase(std::string_view text);

// Returns std::nullopt for a member that belongs to no sample.
std::optional<MemberName> SplitName(std::string_view path);

}  // namespace tidemill::storage
