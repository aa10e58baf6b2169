#include "expressions/members.h"

#include <string>
#include <utility>

#include "base/time.h"
#include "expressions/kernels.h"
#include "expressions/mistake.h"

namespace tidemill::expressions {

absl::StatusOr<std::shared_ptr<const Setting>> MembersOf(std::string_view text, const Node& call,
                                                         Type type, bool as_float) {
  Members<double> numbers;
  Members<int64_t> wholes;
  Members<std::string> texts;
  bool has_null = false;
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    const Node& node = *call.arguments[i];
    if (LiteralOf<NullLiteral>(node) != nullptr) {
      has_null = true;
    } else if (const auto* word = LiteralOf<std::string>(node)) {
      if (type == Type::kTime) {
        const auto time = ParseTimestamp(*word);
        if (!time.ok()) return Mistake(text, node.at, "{}", std::string(time.status().message()));
        wholes.values.push_back(time->micros);
      }
      texts.values.push_back(*word);
    } else if (const auto* whole = LiteralOf<int64_t>(node)) {
      wholes.values.push_back(*whole);
      numbers.values.push_back(static_cast<double>(*whole));
    } else if (const auto* number = LiteralOf<double>(node)) {
      numbers.values.push_back(*number);
    }
  }
  if (as_float) {
    for (double& number : numbers.values) number = static_cast<double>(static_cast<float>(number));
  }
  numbers.has_null = wholes.has_null = texts.has_null = has_null;
  if (type == Type::kNumber) return MakeMembersSetting(std::move(numbers));
  if (type == Type::kText) return MakeMembersSetting(std::move(texts));
  return MakeMembersSetting(std::move(wholes));
}

}  // namespace tidemill::expressions
