// What is not known of a record that is not in a dataset, and is taken all the same.
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
