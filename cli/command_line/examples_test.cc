#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "cli/command_line/command.h"
#include "cli/command_line/command_tree.h"
#include "cli/command_line/manual.h"
#include "cli/tidemill.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOkAndHolds;

// The words of the `tidemill` in a line of a shell, without the program and a redirection.
std::vector<std::string> WordsOfExample(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : line + " ") {
    if (c == '"') {
      quoted = !quoted;
    } else if (c != ' ' || quoted) {
      word += c;
    } else if (word == "|") {
      if (!words.empty() && words[0] == "tidemill") break;
      words.clear();
      word.clear();
    } else if (word == ">") {
      break;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

TEST(Examples, EveryCommandHasOneThatItsOwnCommandLineTakes) {
  const CommandInfo root = DescribeTree(*MakeCommandLine());
  for (const CommandInfo* command : AllCommands(root)) {
    if (!command->subcommands.empty()) continue;
    EXPECT_FALSE(command->examples.empty()) << command->path;
    for (const std::string& line : command->examples) {
      std::vector<std::string> words = WordsOfExample(line);
      std::string begin;
      for (const std::string& word : words) begin += word + " ";
      EXPECT_TRUE(begin.starts_with(command->path + " ")) << line << " in " << command->path;
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      EXPECT_THAT(MakeCommandLine()->Parse(static_cast<int>(arguments.size()), arguments.data()),
                  IsOkAndHolds(ParseResult::kCommand))
          << line;
    }
  }
}

TEST(Examples, EndTheHelpTheManualAndTheReference) {
  Command root("tidemill", "A program.");
  Command& take = root.AddSubcommand("take", "Takes it.");
  take.AddExample("tidemill take one");
  take.AddExample("tidemill take two | sort");
  std::vector<std::string> words = {"tidemill", "take", "--help"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(root.Parse(3, arguments.data()), IsOkAndHolds(ParseResult::kText));
  EXPECT_THAT(
      ::testing::internal::GetCapturedStdout(),
      ::testing::EndsWith("\nExamples:\n  tidemill take one\n  tidemill take two | sort\n"));
  const CommandInfo info = DescribeTree(root);
  EXPECT_THAT(ManualPages(info).at("tidemill-take.1"),
              HasSubstr(".SH EXAMPLES\n.nf\ntidemill take one\ntidemill take two | sort\n.fi\n"));
  EXPECT_THAT(MarkdownOf(info),
              HasSubstr("```\ntidemill take one\ntidemill take two | sort\n```\n"));
}

}  // namespace
}  // namespace tidemill::cli
