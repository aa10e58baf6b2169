#include "cli/pipelines/pipeline_file.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;

config::Problems ProblemsOf(const std::string& text, std::vector<config::Override> overrides) {
  return CheckPipelineFile({.name = "p.yaml", .text = text, .overrides = std::move(overrides)})
      .problems;
}

TEST(PipelineFile, IsCheckedWithTheValuesOfTheCommandLine) {
  EXPECT_THAT(ProblemsOf("name: p\n", {{"training.optimiser.lr", "1e-3"}}).ToString(),
              HasSubstr("--set training.optimiser.lr: error: unknown key 'optimiser' in training"));
  EXPECT_THAT(ProblemsOf("name: p\n", {{"training.epochs", "few"}}).ToString(),
              HasSubstr("--set training.epochs: error: training.epochs: expected a whole number"));
}

TEST(PipelineFile, ComesFromStandardInputWithPathsOfTheCurrentFolder) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe(ends.data()), 0);
  const int input = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  ASSERT_EQ(write(ends[1], "name: p\n", 8), 8);
  close(ends[1]);
  const auto file = ReadPipelineFile("-");
  dup2(input, STDIN_FILENO);
  close(input);
  close(ends[0]);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->text, "name: p\n");
  EXPECT_EQ(file->name, "standard input");
  EXPECT_EQ(file->folder, std::filesystem::current_path());
}

TEST(PaintedProblems, ColourTheWordErrorAndTheMarks) {
  config::Problems problems =
      config::Decode<std::map<std::string, int>>({.text = "a: 'error: ^'\n", .name = "p.yaml"})
          .problems;
  const std::string plain = problems.ToString();
  EXPECT_EQ(PaintedProblems(problems, false), plain);
  const std::string painted = PaintedProblems(problems, true);
  EXPECT_THAT(painted, HasSubstr("p.yaml:1:4: \x1b[31merror:\x1b[0m a: "));
  EXPECT_THAT(painted, HasSubstr("    1 | a: 'error: ^'\n"));
  EXPECT_THAT(painted, HasSubstr("      |    \x1b[31m^^^^^^^^^^"));
  std::string without = painted;
  for (const std::string code : {"\x1b[31m", "\x1b[0m"}) {
    for (size_t at; (at = without.find(code)) != std::string::npos;) without.erase(at, code.size());
  }
  EXPECT_EQ(without, plain);
}

}  // namespace
}  // namespace tidemill::cli
