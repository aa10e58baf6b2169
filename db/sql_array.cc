#include "db/sql_array.h"

namespace tidemill::db {

void SqlArray::Add(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c != '\0') quoted += c;  // PostgreSQL has no such character.
  }
  AddRaw(quoted + "\"");
}

void SqlArray::AddRaw(std::string_view value) {
  if (text_.size() > 1) text_ += ',';
  text_ += value;
}

}  // namespace tidemill::db
