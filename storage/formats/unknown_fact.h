// A fact that is not known about a record that is not in a dataset. The record is taken
// nevertheless.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::storage {

struct UnknownFact {
  enum class Kind {
    kTime,       // It has no time.
    kLabel,      // Its label cannot be read, because it is not a class, or not a number.
    kCondition,  // It has no label, and `where` reads the fields of the label.
    kEncoding,   // Its text is not in UTF-8.
  };
  int64_t record = 0;  // Its position in the file, from 0.
  Kind kind = Kind::kTime;
  std::string reason = {};
};

}  // namespace tidemill::storage
