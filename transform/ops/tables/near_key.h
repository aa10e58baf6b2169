// Keys that a person would take for the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transform/ops/tables/joined_table.h"

namespace tidemill::transform {

// A part of a key that is not in a table.
struct KeyPart {
  std::optional<std::string> text = std::nullopt;  // Absent for a whole number.
  int64_t number = 0;
};

// Returns a key of the table that differs from `key` only in how one of its texts is written:
// blanks around it, zeros before or after a number, small and capital letters, composed letters of
// Unicode. It is quoted: "'1'". std::nullopt when there is none.
std::optional<std::string> FindNearKey(const JoinedTable& table, const std::vector<KeyPart>& key);

}  // namespace tidemill::transform
