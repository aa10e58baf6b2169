#include "cli/pipelines/pipeline_file.h"

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
