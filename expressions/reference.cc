#include "expressions/reference.h"

#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "expressions/functions.h"

namespace tidemill::expressions {

namespace {

struct Operator {
  std::string_view form;
  std::string_view doc;
};

// From what binds most to what binds least.
constexpr Operator kOperators[] = {
    {"x ^ y", "power; binds to the right; null where the result is not a number"},
    {"-x", "the opposite; -2 ^ 2 is -4"},
    {"x * y", "product"},
    {"x / y", "quotient, a number; null when y is 0"},
    {"x % y", "remainder with the sign of x; null when y is 0"},
    {"x + y", "sum; a time plus seconds is a time"},
    {"x - y", "difference; of two times, in seconds"},
    {"x = y, x != y", "whether they are equal, or not"},
    {"x < y, x <= y, x > y, x >= y", "how numbers, texts or times are ordered"},
    {"x in (a, b), x not in (a, b)", "whether x is one of them, or none"},
    {"x between a and b", "x >= a and x <= b; also: not between"},
    {"x is null, x is not null", "whether there is no value, or one"},
    {"not x", "the opposite of a boolean"},
    {"x and y", "whether both are true"},
    {"x or y", "whether one is true"},
    {"case when c then a else b end", "if(c, a, b); may have several branches"},
};

}  // namespace

std::string DescribeLanguage() {
  std::string text =
      "Expressions speak of the columns of a sample: arr_delay >= 15 and origin in ('ORD', "
      "'SFO').\n"
      "Columns: price, a.b, topics[0], \"arr delay\", @time. Values: 2.5, 'a text', true, null.\n"
      "docs/guides/columns.md says where they are used and what they mean.\n\n"
      "Operators, from what binds most to what binds least\n";
  for (const Operator& each : kOperators) {
    text += fmt::format("  {:<30} {}\n", each.form, each.doc);
  }
  std::string_view group;
  for (const Function& function : Functions()) {
    if (function.is_operator) continue;
    if (std::exchange(group, function.group) != function.group) {
      text += fmt::format("\n{}\n", group);
    }
    text += fmt::format("  {}\n      {}\n      e.g. {}\n", FormOf(function), function.doc,
                        function.example);
  }
  return text;
}

std::string ReferencePage() {
  std::string page =
      "# Expressions\n\nOperators and functions of expressions over columns. [The "
      "guide](../guides/columns.md) says where expressions are used, what types and nulls are, and "
      "how they are written.\n\n"
      "## Operators\n\nFrom what binds most to what binds least.\n\n| form | meaning "
      "|\n|---|---|\n";
  for (const Operator& each : kOperators) {
    page += fmt::format("| `{}` | {} |\n", each.form, each.doc);
  }
  std::string_view group;
  for (const Function& function : Functions()) {
    if (function.is_operator) continue;
    if (std::exchange(group, function.group) != function.group) {
      page += fmt::format("\n## {}\n\n| form | meaning | example |\n|---|---|---|\n", group);
    }
    page += fmt::format("| `{}` | {} | `{}` |\n", FormOf(function), function.doc, function.example);
  }
  return page;
}

}  // namespace tidemill::expressions
