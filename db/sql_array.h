// PostgreSQL's array literals: columns of many rows as parameters of one statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::db {

// Builds "{1,2,3}" value by value. Thread-compatible.
class SqlArray {
 public:
  void Add(int64_t number) { AddRaw(std::to_string(number)); }
  void Add(std::string_view text);
  // Adds NULL for std::nullopt.
  void Add(std::optional<int64_t> number) { AddRaw(number ? std::to_string(*number) : "NULL"); }
  // Returns the literal. More values may be added afterwards.
  std::string text() const { return text_ + "}"; }

 private:
  void AddRaw(std::string_view value);
  std::string text_ = "{";
};

}  // namespace tidemill::db
