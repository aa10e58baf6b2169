#include "expressions/mistake.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "fmt/ranges.h"

#include "config/documents/problems.h"
#include "expressions/parser.h"
#include "expressions/read_values.h"

namespace tidemill::expressions {

namespace {

// A long expression is shown from a little before the mistake on.
std::string Shown(std::string_view text, size_t at) {
  constexpr size_t kMax = 80;
  constexpr size_t kBefore = 30;
  const bool cut_begin = text.size() > kMax && at > kBefore;
  size_t begin = cut_begin ? at - kBefore : 0;
  // Not in the middle of a character.
  while (begin > 0 && begin < text.size() && (text[begin] & 0xC0) == 0x80) --begin;
  size_t end = std::min(text.size(), begin + kMax);
  while (end > begin && end < text.size() && (text[end] & 0xC0) == 0x80) --end;
  std::string shown(text.substr(begin, end - begin));
  std::ranges::replace(shown, '\n', ' ');
  return (begin > 0 ? "..." : "") + shown + (end < text.size() ? "..." : "");
}

std::string InQuotes(char quote, std::string_view text) {
  std::string quoted(1, quote);
  for (const char c : text) {
    quoted += c;
    if (c == quote) quoted += c;
  }
  return quoted + quote;
}

// Advice on a comparison of a text literal with a number or a time.
std::string AdviceOnLiteral(std::string_view literal) {
  if (ReadNumber(literal)) {
    return fmt::format("; the number is written without quotes: {}", WithoutBlanks(literal));
  }
  return fmt::format("; {} is a text; the column of that name is written {}",
                     InQuotes('\'', literal), WrittenName(literal));
}

}  // namespace

std::string PlaceIn(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const size_t line_begin =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view in_line = before.substr(line_begin);
  const auto column = 1 + std::ranges::count_if(in_line, [](char c) { return (c & 0xC0) != 0x80; });
  if (text.find('\n') == std::string_view::npos) return fmt::format("column {}", column);
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'), column);
}

absl::Status MistakeAt(std::string_view text, size_t at, std::string_view message) {
  return InvalidArgument("{} of '{}': {}", PlaceIn(text, at), Shown(text, at), message);
}

std::string WrittenName(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : InQuotes('"', name);
}

std::string AdviceOnName(std::string_view text, const Node& column,
                         const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    // Such as user-id, which is read as user minus id.
    const size_t from = column.at + 1 - std::min(column.at + 1, name.size());
    if (IsPlainName(name) || text.find(name, from) > column.at) continue;
    return fmt::format("; the column is written in double quotes: {}", WrittenName(name));
  }
  if (const auto closest = config::ClosestTo(column.name, names)) {
    return IsPlainName(*closest)
               ? fmt::format("; did you mean '{}'?", *closest)
               : fmt::format("; did you mean {}, in double quotes?", WrittenName(*closest));
  }
  if (column.name.starts_with('@')) return "";
  return fmt::format("; a text is written in single quotes: {}", InQuotes('\'', column.name));
}

std::string AdviceOnOperands(std::span<const Node* const> operands) {
  std::vector<std::string> columns;
  bool has_null = false;
  for (const Node* const node : operands) {
    if (node->kind == Node::Kind::kColumn) columns.push_back(WrittenName(node->name));
    has_null |= LiteralOf<NullLiteral>(*node) != nullptr;
  }
  if (columns.empty()) return "the type of what is compared is unclear";
  if (has_null) {
    return fmt::format("what is compared with a null is null; write {} is null", columns.front());
  }
  const bool may_be_text = columns.size() > 1 && operands.back()->kind == Node::Kind::kColumn;
  return fmt::format(
      "it is unclear whether {0} is compared as a number or as a text; write number({0}) or "
      "text({0}){1}",
      columns.front(),
      may_be_text ? "; a text is written in single quotes: " + InQuotes('\'', operands.back()->name)
                  : "");
}

absl::Status NoCommonType(std::string_view text, const Node& call, const TypedNode& a,
                          const TypedNode& b) {
  const auto is_any = [&](Type type) { return a.type == type || b.type == type; };
  const Function* const function = FindFunction(call.name);
  const bool compares = function != nullptr && function->is_operator;
  const auto* const literal = LiteralOf<std::string>(a.type == Type::kText ? a.node : b.node);
  const bool has_number = is_any(Type::kNumber) || is_any(Type::kWhole);
  std::string advice;
  if (compares && literal != nullptr && (has_number || is_any(Type::kTime))) {
    advice = AdviceOnLiteral(*literal);
  } else if (is_any(Type::kText) && has_number) {
    advice = "; a text is read as a number by number(x)";
  } else if (is_any(Type::kText) && is_any(Type::kTime)) {
    advice = "; a text is read as a time by time(x)";
  } else if (is_any(Type::kTime)) {
    advice = "; a time is written as a text: '2024-02-29'";
  }
  return Mistake(text, call.at, "{} {} {} and {}{}", call.name,
                 compares ? "compares" : "takes values of one type, not", Describe(a.type),
                 Describe(b.type), advice);
}

absl::Status WrongCount(std::string_view text, const Function& function, const Node& call) {
  std::vector<size_t> counts;
  for (const Overload& overload : function.overloads) {
    const size_t count = overload.parameters.size() + overload.num_literals;
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
  }
  return Mistake(text, call.at, "{} takes {} argument{}, not {}: {}", function.name,
                 fmt::join(counts, " or "), counts.back() == 1 ? "" : "s", call.arguments.size(),
                 FormOf(function));
}

absl::Status CheckCount(std::string_view text, const Node& call, size_t least, size_t most) {
  const size_t count = call.arguments.size();
  if (count >= least && count <= most) return absl::OkStatus();
  const Function* const function = FindFunction(call.name);
  if (count > most && most == kMaxArguments) {
    return Mistake(text, call.at, "{} has {} arguments; {} are the most", call.name, count, most);
  }
  return Mistake(text, call.at, "{} takes {}{} argument{}, not {}: {}", call.name,
                 most == kMaxArguments ? "at least " : "", least, least == 1 ? "" : "s", count,
                 function == nullptr ? "" : FormOf(*function));
}

}  // namespace tidemill::expressions
