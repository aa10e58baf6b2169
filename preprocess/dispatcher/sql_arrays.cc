#include "preprocess/dispatcher/sql_arrays.h"

namespace tidemill::preprocess {

void SqlArray::Add(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  AddRaw(quoted + "\"");
}

void SqlArray::AddRaw(std::string_view value) {
  if (text_.size() > 1) text_ += ',';
  text_ += value;
}

}  // namespace tidemill::preprocess
