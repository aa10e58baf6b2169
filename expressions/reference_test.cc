#include "expressions/reference.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "expressions/expression.h"
#include "expressions/functions.h"

namespace tidemill::expressions {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;

TEST(Reference, HasEveryFunctionUnderItsGroup) {
  for (const Function& function : Functions()) {
    if (function.is_operator) continue;
    EXPECT_FALSE(function.group.empty()) << function.name;
    EXPECT_FALSE(function.doc.empty()) << function.name;
    EXPECT_THAT(DescribeLanguage(), HasSubstr(fmt::format("\n  {}(", function.name)));
    EXPECT_THAT(ReferencePage(), HasSubstr(fmt::format("| `{}(", function.name)));
  }
  EXPECT_THAT(ReferencePage(), HasSubstr("## Nulls and choices\n"));
}

TEST(Reference, HasExamplesThatCompile) {
  for (const Function& function : Functions()) {
    if (function.is_operator) continue;
    const auto expression = Expression::Parse(function.example);
    ASSERT_THAT(expression, IsOk()) << function.name;
    EXPECT_THAT(
        Compile(*expression, {.columns = {{.name = "@time", .type = Type::kTime}}, .others = true}),
        IsOk())
        << function.example;
    EXPECT_THAT(std::string(function.example), HasSubstr(fmt::format("{}(", function.name)));
  }
}

}  // namespace
}  // namespace tidemill::expressions
