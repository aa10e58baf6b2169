// The examples of docs/guides/columns.md give the values beside them.
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "expressions/functions.h"
#include "expressions/testing/evaluate.h"

namespace tidemill::expressions {
namespace {

using ::tidemill::testing::InTree;
using ::tidemill::testing::IsOk;

struct Example {
  std::string expression;
  std::string row;
  std::string value;
};

std::vector<std::string> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::string GuideText() {
  auto text = files::Read(InTree("docs/guides/columns.md"));
  EXPECT_THAT(text, IsOk());
  return text.ok() ? *std::move(text) : std::string();
}

// The contents of the cells of a line "| `a` | `b` | `c` |".
std::vector<Example> ExamplesOf(const std::string& guide) {
  std::vector<Example> examples;
  bool is_example = false;
  for (const std::string& line : Split(guide, "\n")) {
    if (line.starts_with("|---")) continue;
    if (line == "| expression | row | value |") {
      is_example = true;
      continue;
    }
    is_example = is_example && line.starts_with("| `");
    if (!is_example) continue;
    const std::vector<std::string> cells = Split(line, "`");
    EXPECT_EQ(cells.size(), 7U) << line;
    if (cells.size() == 7) examples.push_back({cells[1], cells[3], cells[5]});
  }
  return examples;
}

// Parses "delay: 14.5; name: Ann".
Row RowOf(const std::string& text) {
  Row row;
  for (const std::string& field : Split(text, "; ")) {
    const size_t colon = field.find(':');
    row[field.substr(0, colon)] = field.size() > colon + 2 ? field.substr(colon + 2) : "";
  }
  return row;
}

TEST(Guide, ExamplesHaveTheirValues) {
  const std::vector<Example> examples = ExamplesOf(GuideText());
  EXPECT_EQ(examples.size(), 21U);
  for (const Example& example : examples) {
    EXPECT_EQ(ValueOf(example.expression, RowOf(example.row)), example.value)
        << example.expression << " of " << example.row;
  }
}

TEST(Guide, NamesEveryFunction) {
  const std::string guide = GuideText();
  const size_t from = guide.find("## Functions");
  for (const std::string& name : FunctionNames()) {
    EXPECT_NE(guide.find("`" + name + "`", from), std::string::npos) << name;
  }
}

TEST(Guide, SaysTheTruthOfOperatorsAndNulls) {
  struct Said {
    const char* expression;
    const char* value;
  };
  const std::string guide = GuideText();
  for (const auto& [expression, value] :
       {Said{"2 ^ 3 ^ 2", "512"}, Said{"-2 ^ 2", "-4"}, Said{"7 / 2", "3.5"}, Said{"-7 % 3", "-1"},
        Said{"null = 1", "null"}, Said{"false and null", "false"}, Said{"true or null", "true"},
        Said{"1 in (2, null)", "null"}, Said{"1 in (1, null)", "true"}, Said{"log(0)", "null"},
        Said{"sqrt(-1)", "null"}, Said{"exp(1000)", "null"}, Said{"1 / exp(1000)", "0"},
        Said{"'B' < 'a'", "true"}, Said{"round(2.5)", "3"}}) {
    EXPECT_EQ(ValueOf(expression), value) << expression;
    EXPECT_NE(guide.find(fmt::format("`{}`", expression)), std::string::npos) << expression;
  }
}

}  // namespace
}  // namespace tidemill::expressions
