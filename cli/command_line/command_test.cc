#include "cli/command_line/command.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

// `program take ...`, with an argument of each kind.
class CommandTest : public ::testing::Test {
 protected:
  CommandTest() {
    root_.RequireSubcommand();
    take_.WhenGiven([this] { ++given_; });
  }

  absl::StatusOr<ParseResult> Parse(std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return root_.Parse(static_cast<int>(arguments.size()), arguments.data());
  }

  absl::StatusOr<ParseResult> ParseTake(std::vector<std::string> words) {
    words.insert(words.begin(), "take");
    return Parse(std::move(words));
  }

  Command root_{"program", "A program."};
  Command& take_ = root_.AddSubcommand("take", "Takes what it is given.");
  int given_ = 0;
};

TEST_F(CommandTest, SaysWhatANumberCannotBe) {
  int64_t count = 0;
  take_.AddOption("--count", count, "A number");
  EXPECT_THAT(std::string(ParseTake({"--count", "many"}).status().message()),
              AllOf(HasSubstr("--count"), HasSubstr("'many' is not a whole number")));
}

TEST_F(CommandTest, AMistakeInANumberNamesItsLimits) {
  int seeds = 0;
  int small = 0;
  int64_t limit = 0;
  take_.AddOption("--seeds", seeds, "A number").Between(1, 100);
  take_.AddOption("--small", small, "A number");
  take_.AddOption("--limit", limit, "A number").NonNegative();
  const auto refuses = [&](std::vector<std::string> words, const std::string& why) {
    EXPECT_THAT(ParseTake(std::move(words)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  };
  refuses({"--seeds", "0"}, "--seeds: '0' is not a whole number from 1 to 100");
  refuses({"--seeds", "1.5"}, "'1.5' is not a whole number from 1 to 100");
  refuses({"--limit", "-1"}, "--limit: '-1' is not a whole number of 0 or more");
  refuses({"--limit", "99999999999999999999"}, "at most 9223372036854775807");
  refuses({"--small", "3000000000"}, "from -2147483648 to 2147483647");
  EXPECT_THAT(ParseTake({"--seeds", "100", "--limit", "0", "--small", "-3"}),
              IsOkAndHolds(ParseResult::kCommand));
}

TEST_F(CommandTest, AnEmptyValueIsNotTheSameAsNone) {
  std::string state = "the default";
  std::string name;
  std::string note = "before";
  std::vector<std::string> tags;
  take_.AddOption("name", name, "A name");
  take_.AddOption("--state", state, "A folder");
  take_.AddOption("--tag", tags, "A tag").OneEach();
  take_.AddOption("--note", note, "A note").MayBeEmpty();
  for (const std::vector<std::string>& empty :
       std::vector<std::vector<std::string>>{{"--state", ""},
                                             {"--state="},
                                             {"--state=", "here"},
                                             {"--tag", "a", "--tag", ""},
                                             {""}}) {
    EXPECT_THAT(ParseTake(empty), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("empty")));
  }
  EXPECT_EQ(state, "the default");
  EXPECT_THAT(ParseTake({"--note", ""}), IsOkAndHolds(ParseResult::kCommand));
  EXPECT_EQ(note, "");
  EXPECT_THAT(ParseTake({"--", "--state="}), IsOkAndHolds(ParseResult::kCommand));
  EXPECT_EQ(name, "--state=");
}

TEST_F(CommandTest, AnOptionOfOneEachLeavesTheNextWordToOthers) {
  std::vector<std::string> tags;
  std::string file;
  take_.AddOption("file", file, "A file");
  take_.AddOption("--tag", tags, "A tag").OneEach();
  ASSERT_TRUE(Parse({"take", "--tag", "a", "--tag", "b", "pipeline.yaml"}).ok());
  EXPECT_EQ(file, "pipeline.yaml");
  EXPECT_EQ(tags, (std::vector<std::string>{"a", "b"}));
}

TEST_F(CommandTest, VariablesOfEachTypeAreSet) {
  std::string text;
  int small = 0;
  int64_t large = 0;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
  bool flag = false;
  take_.AddOption("text", text, "A text");
  take_.AddOption("--small", small, "A number");
  take_.AddOption("--large", large, "A large number");
  take_.AddOption("--texts", texts, "Texts");
  take_.AddOption("--numbers", numbers, "Numbers");
  take_.AddFlag("-f,--flag", flag, "A flag");
  EXPECT_THAT(Parse({"take", "word", "--small=-3", "--large", "9000000000", "--texts", "a", "b",
                     "--numbers", "1", "-2", "-f"}),
              IsOkAndHolds(ParseResult::kCommand));
  EXPECT_EQ(text, "word");
  EXPECT_EQ(small, -3);
  EXPECT_EQ(large, 9'000'000'000);
  EXPECT_THAT(texts, ElementsAre("a", "b"));
  EXPECT_THAT(numbers, ElementsAre(1, -2));
  EXPECT_TRUE(flag);
}

TEST_F(CommandTest, VariablesThatTheLineDoesNotNameDoNotChange) {
  std::string text = "before";
  take_.AddOption("--text", text, "A text");
  EXPECT_THAT(Parse({"take"}), IsOkAndHolds(ParseResult::kCommand));
  EXPECT_EQ(text, "before");
}

TEST_F(CommandTest, TheActionRunsOnlyWhereNothingIsWrong) {
  int number = 0;
  take_.AddOption("number", number, "A number").Required();
  EXPECT_THAT(Parse({"take", "x"}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("x")));
  EXPECT_THAT(Parse({"take"}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number")));
  EXPECT_THAT(Parse({}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("subcommand")));
  EXPECT_EQ(given_, 0);
  EXPECT_THAT(Parse({"take", "1"}), IsOkAndHolds(ParseResult::kCommand));
  EXPECT_EQ(given_, 1);
}

TEST_F(CommandTest, HelpAndVersionArePrintedInsteadOfRunningTheAction) {
  root_.SetVersion("program 7");
  root_.SetFooter("The last words.");
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(Parse({"--version"}), IsOkAndHolds(ParseResult::kText));
  EXPECT_THAT(Parse({"--help"}), IsOkAndHolds(ParseResult::kText));
  EXPECT_THAT(Parse({"take", "--help"}), IsOkAndHolds(ParseResult::kText));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("program 7\n"), HasSubstr("The last words."),
                    HasSubstr("Takes what it is given.")));
  EXPECT_EQ(given_, 0);
}

TEST_F(CommandTest, HiddenCommandsAreTakenButNotShown) {
  root_.AddSubcommand("secret", "Not for people.").Hide();
  EXPECT_THAT(Parse({"secret"}), IsOkAndHolds(ParseResult::kCommand));
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(Parse({"--help"}), IsOkAndHolds(ParseResult::kText));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), Not(HasSubstr("secret")));
}

TEST_F(CommandTest, ValuesOutsideTheLimitsAreWrong) {
  std::string word;
  int number = 0;
  int64_t count = 0;
  std::vector<int64_t> pair;
  take_.AddOption("--word", word, "A word").OneOf({"one", "two"});
  take_.AddOption("--number", number, "A number").Between(2, 4);
  take_.AddOption("--count", count, "A count").NonNegative();
  take_.AddOption("--pair", pair, "Two").Expected(2, 2);
  for (const std::vector<std::string>& good : std::vector<std::vector<std::string>>{
           {"--word", "two"}, {"--number", "4"}, {"--count", "0"}, {"--pair", "1", "2"}}) {
    EXPECT_THAT(ParseTake(good), IsOkAndHolds(ParseResult::kCommand)) << good[0];
  }
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"--word", "six"}, {"--number", "5"}, {"--count", "-1"}, {"--pair", "1"}}) {
    EXPECT_THAT(ParseTake(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(bad[0])));
  }
}

TEST_F(CommandTest, ACheckTellsInItsOwnWordsWhatIsWrong) {
  std::string word;
  take_.AddOption("--word", word, "A word").Check([](const std::string& text) {
    return text == "good" ? "" : text + " is not good";
  });
  EXPECT_THAT(Parse({"take", "--word", "good"}), IsOkAndHolds(ParseResult::kCommand));
  EXPECT_THAT(Parse({"take", "--word", "evil"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("evil is not good")));
}

}  // namespace
}  // namespace tidemill::cli
