// Named fields of a JSON object, found in one pass over its text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill {

// What an object has under a name.
struct JsonValue {
  enum class Kind : uint8_t {
    kAbsent,
    kNull,    // null, or NaN, which is no JSON but what some writers make of a missing number.
    kText,    // A string, without its escapes.
    kNumber,  // As written.
    kBool,    // true or false, as written.
    kNested,  // A list or an object.
  };
  Kind kind = Kind::kAbsent;
  std::string_view text;  // Empty for kAbsent, kNull and kNested.
};

// Reads the same fields from one object after another and reuses its memory. A name with dots
// stands for a field within objects (`a.b`: field b of the object a), and for a field of just that
// name. Of fields that stand there twice the first counts. Thread-compatible.
class JsonFields {
 public:
  explicit JsonFields(const std::vector<std::string>& names);
  ~JsonFields();
  JsonFields(JsonFields&&) noexcept;
  JsonFields& operator=(JsonFields&&) noexcept;

  // INVALID_ARGUMENT with a reason for a text that is not one object and nothing else, that is not
  // UTF-8, or where a field cannot be read; values that nobody asked for are passed over. After
  // an error values() are those of no object.
  absl::Status Read(std::string_view text);

  // In the order of the names. Views stay good until the next Read.
  std::span<const JsonValue> values() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill
