#include "cli/command_line/misuse.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "cli/tidemill.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> Find(const std::vector<std::string>& words) {
  return FindUnknownWord(DescribeTree(*MakeCommandLine()), words);
}

TEST(FindUnknownWord, NamesAMisspeltCommandAndWhatIsMeant) {
  EXPECT_THAT(Find({"rnu", "x"}),
              Optional(AllOf(HasSubstr("'tidemill rnu'"), HasSubstr("did you mean 'run'?"))));
  EXPECT_THAT(Find({"datasets", "lst"}),
              Optional(AllOf(HasSubstr("'tidemill datasets lst'"), HasSubstr("'list'"))));
  EXPECT_THAT(Find({"zzzzzzzz"}), Optional(HasSubstr("there are init, run, check")));
}

TEST(FindUnknownWord, NamesAMisspeltOptionBeforeWhatFollowsIt) {
  EXPECT_THAT(Find({"runs", "list", "--pipelin", "y"}),
              Optional(AllOf(HasSubstr("'tidemill runs list' has no option '--pipelin'"),
                             HasSubstr("did you mean '--pipeline'?"))));
  EXPECT_THAT(Find({"runs", "list", "--jsn=1"}), Optional(HasSubstr("'--json'")));
}

TEST(FindUnknownWord, SaysWhereAnOptionBelongsThatComesBeforeItsCommand) {
  EXPECT_THAT(Find({"--state", "/s", "run", "a.yaml"}),
              Optional(AllOf(HasSubstr("'--state' belongs after the command"),
                             HasSubstr("write 'tidemill run ... --state'"))));
  EXPECT_THAT(Find({"runs", "--json", "list"}),
              Optional(HasSubstr("'tidemill runs list ... --json'")));
  EXPECT_THAT(Find({"--state=/s"}), Optional(HasSubstr("'tidemill COMMAND ... --state'")));
}

TEST(FindUnknownWord, NamesAWordThatIsTooMany) {
  EXPECT_THAT(Find({"run", "a.yaml", "b.yaml"}),
              Optional(AllOf(HasSubstr("'b.yaml'"), HasSubstr("it takes 1 argument"))));
}

TEST(FindUnknownWord, FindsNothingWhereEveryWordIsKnown) {
  EXPECT_EQ(Find({"run", "a.yaml", "--max-triggers", "x", "-q"}), std::nullopt);
  EXPECT_EQ(Find({"check", "a.yaml", "b.yaml", "--json"}), std::nullopt);
  EXPECT_EQ(Find({"runs", "list", "--only", "failed"}), std::nullopt);
  EXPECT_EQ(Find({}), std::nullopt);
}

}  // namespace
}  // namespace tidemill::cli
