// Columns of many rows as parameters of one statement: PostgreSQL's array literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::db {

// "{1,2,3}", value by value. Thread-compatible.
class SqlArray {
 public:
  void Add(int64_t number) { AddRaw(std::to_string(number)); }
  void Add(std::string_view text);
  // The literal; later values are added to it all the same.
  std::string text() const { return text_ + "}"; }

 private:
  void AddRaw(std::string_view value);
  std::string text_ = "{";
};

}  // namespace tidemill::db
