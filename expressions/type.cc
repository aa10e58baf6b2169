#include "expressions/type.h"

namespace tidemill::expressions {

std::string_view Describe(Type type) {
  switch (type) {
    case Type::kNumber:
      return "a number";
    case Type::kWhole:
      return "a whole number";
    case Type::kTruth:
      return "a boolean";
    case Type::kText:
      return "a text";
    case Type::kTime:
      return "a time";
  }
  return "";
}

size_t SizeOf(Type type) {
  switch (type) {
    case Type::kNumber:
      return sizeof(double);
    case Type::kWhole:
    case Type::kTime:
      return sizeof(int64_t);
    case Type::kTruth:
      return sizeof(Truth);
    case Type::kText:
      return sizeof(std::string_view);
  }
  return 0;
}

}  // namespace tidemill::expressions
