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

// The value of an object's field.
struct JsonValue {
  enum class Kind : uint8_t {
    kAbsent,
    kNull,    // null, or NaN, which is not JSON but which some writers use for a missing number.
    kText,    // A string, without its escapes.
    kNumber,  // As written.
    kBool,    // true or false, as written.
    kNested,  // A list or an object.
  };
  Kind kind = Kind::kAbsent;
  std::string_view text;  // Empty for kAbsent and kNested. As written for kNull.
};

// The most objects and lists that a path leads into. A record may be nested more deeply.
inline constexpr size_t kMaxJsonSteps = 100;

// Whether it is a text, a number or a boolean.
inline bool IsSingle(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kText || value.kind == JsonValue::Kind::kNumber ||
         value.kind == JsonValue::Kind::kBool;
}

// Reads the same fields from one object after another, and reuses its memory. A name may be a path:
//
//   a.b          field b of the object a
//   topics[0]    the first element of the list topics
//   a.b[2].c     field c of the third element of the list b of the object a
//   a["b c"].d   a name in quotes is taken literally; a backslash precedes a quote
//
// It also stands for a field of exactly that name, and for nothing else where it is not a path,
// such as `price[EUR]`, or has more than kMaxJsonSteps steps. Thread-compatible.
class JsonFields {
 public:
  explicit JsonFields(const std::vector<std::string>& names);
  ~JsonFields();
  JsonFields(JsonFields&&) noexcept;
  JsonFields& operator=(JsonFields&&) noexcept;

  // INVALID_ARGUMENT with a reason when the text is not exactly one object, is not UTF-8, when a
  // field cannot be read, or when it occurs twice with different values: readers of JSON differ in
  // which of them counts. Other values are skipped. After an error, values() are undefined.
  absl::Status Read(std::string_view text);

  // The values in the order of the names. Views are valid until the next Read().
  std::span<const JsonValue> values() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the names of the object's fields, those within its objects left out, at most 100. Empty
// when the text is not an object.
std::vector<std::string> JsonFieldNames(std::string_view text);

}  // namespace tidemill
