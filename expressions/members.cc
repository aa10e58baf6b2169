#include "expressions/members.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/times/clock_time.h"
#include "expressions/kernels.h"
#include "expressions/mistake.h"

namespace tidemill::expressions {

absl::StatusOr<Timestamp> TimeOfLiteral(const std::string& text, const std::string& time_zone) {
  ASSIGN_OR_RETURN(ClockTime time, ParseClockTime(text));
  RETURN_IF_ERROR(Annotate(time.SetZone(time_zone), Quoted(text)));
  return time;
}

absl::StatusOr<std::shared_ptr<const Setting>> MembersOf(std::string_view text, const Node& call,
                                                         Type type, bool as_float,
                                                         const std::string& time_zone) {
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
        const auto time = TimeOfLiteral(*word, time_zone);
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

absl::StatusOr<std::shared_ptr<const Setting>> SettingOf(std::string_view text, const Node& call,
                                                         const Function& function,
                                                         const Overload& overload,
                                                         const std::string& time_zone) {
  const bool on_clock = overload.prepare_on_clock != nullptr && time_zone != "UTC";
  const Overload::Prepare prepare = on_clock ? overload.prepare_on_clock : overload.prepare;
  if (prepare == nullptr) return nullptr;
  const size_t num_parameters = overload.parameters.size();
  std::vector<Literal> literals;
  for (size_t i = num_parameters; i < call.arguments.size(); ++i) {
    const Node& argument = *call.arguments[i];
    if (argument.kind != Node::Kind::kLiteral) {
      return Mistake(text, argument.at, "this argument of {} must be written out: {}",
                     function.name, FormOf(function));
    }
    literals.push_back(argument.literal);
  }
  if (on_clock) {
    literals.resize(overload.zone_place, std::string());
    literals.emplace_back(time_zone);
  }
  Overload::BadLiteral bad;
  auto setting = prepare(literals, bad);
  if (setting != nullptr) return setting;
  const size_t place = std::min(num_parameters + bad.number, call.arguments.size() - 1);
  return Mistake(text, call.arguments[place]->at, "{}", bad.message);
}

}  // namespace tidemill::expressions
