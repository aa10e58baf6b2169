#include "cli/results/matrix.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "cli/results/run_report.h"
#include "cli/run_directory/testing/example_run.h"
#include "cli/terminal/matrix_layout.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

size_t WidestOf(const std::string& text) {
  size_t widest = 0;
  for (const std::string& line : LinesOf(text)) widest = std::max(widest, line.size());
  return widest;
}

TEST(Spread, TakesTheEndsAndEvenStepsBetween) {
  EXPECT_THAT(Spread(9, 5), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(Spread(3, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(Spread(9, 1), ElementsAre(8));
  EXPECT_THAT(Spread(9, 0), ElementsAre());
  EXPECT_THAT(SpreadTo(9, 5, [](size_t i) { return i == 3 || i == 5; }),
              ElementsAre(0, 3, 5, 6, 8));
  for (size_t size = 1; size < 60; ++size) {
    for (size_t most = 1; most < 60; ++most) {
      const auto shown = SpreadTo(size, most, [](size_t i) { return i % 3 == 0; });
      EXPECT_EQ(shown.size(), std::min(size, most));
      EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end(), std::less_equal<>()));
    }
  }
}

// Red, green and blue, from 0 to 255, of one of the colours 16 to 255.
std::array<int, 3> RgbOf(int colour) {
  if (colour >= 232) {
    const int grey = 8 + 10 * (colour - 232);
    return {grey, grey, grey};
  }
  const auto level = [](int step) { return step == 0 ? 0 : 55 + 40 * step; };
  const int place = colour - 16;
  return {level(place / 36), level(place / 6 % 6), level(place % 6)};
}

double Luminance(int colour) {
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (int channel = 0; channel < 3; ++channel) {
    const double level = RgbOf(colour)[static_cast<size_t>(channel)] / 255.0;
    sum += weights[channel] *
           (level <= 0.04045 ? level / 12.92 : std::pow((level + 0.055) / 1.055, 2.4));
  }
  return sum;
}

// By the Web Content Accessibility Guidelines, which want 4.5 of text.
TEST(ColourOf, IsReadableAndGrowsDarker) {
  double before = 2;
  int last = 0;
  for (int percent = 0; percent <= 100; ++percent) {
    const CellColour colour = ColourOf(percent / 100.0);
    if (colour.background == last) continue;
    last = colour.background;
    const double background = Luminance(colour.background);
    const double ink = Luminance(colour.ink);
    EXPECT_GE((std::max(background, ink) + 0.05) / (std::min(background, ink) + 0.05), 4.5)
        << colour.background;
    EXPECT_LT(background, before) << colour.background;
    before = background;
  }
}

TEST(Matrix, OfManyModelsFitsOnAScreenAndSaysWhatIsMissing) {
  const auto run = testing::ExampleRun("p", 105).run;
  const View view{.is_terminal = true, .width = 80, .height = 24};
  const std::string text = DescribeRun(run, view);
  EXPECT_LE(WidestOf(text), 80U);
  EXPECT_LE(LinesOf(DrawMatrices(run, view)).size(), 24U);
  EXPECT_THAT(text, AllOf(HasSubstr("of 104 models and"), HasSubstr("of 105 windows are shown"),
                          HasSubstr("  92 more triggers; --full shows all")));
  // Models in use can be seen although most windows are left out.
  EXPECT_GE(std::count(text.begin(), text.end(), '*'), 5);
  EXPECT_LE(WidestOf(DrawMatrices(run, {.is_terminal = true, .width = 40, .height = 24})), 40U);
}

TEST(Matrix, OfManyModelsIsWholeOnRequest) {
  const auto run = testing::ExampleRun("p", 105).run;
  const std::string text = DescribeRun(run, {.width = 80, .height = 24, .full = true});
  EXPECT_THAT(text, Not(HasSubstr("--full")));
  // Triggers with their header, a blank line, the matrix with its two, means, a blank line, the
  // end.
  EXPECT_EQ(LinesOf(text).size(), 105U + 1 + 106 + 2 + 1 + 2);
}

TEST(Matrix, KeepsItsColumnsApart) {
  auto run = testing::ExampleRun("p", 3).run;
  for (auto& value : *run.mutable_results()) value.set_value(1);
  EXPECT_THAT(DrawMatrices(run, {}), HasSubstr("   1 2024-10-05 100.0  100.0* 100.0\n"));
  for (auto& value : *run.mutable_results()) {
    value.set_measure("log_loss");
    value.set_value(0.895);
  }
  const std::string text = DrawMatrices(run, {});
  EXPECT_THAT(text, AllOf(HasSubstr("log_loss on days: model"), HasSubstr(" 0.895  0.895 ")));
}

TEST(RunReport, EndsWithWhatWasReached) {
  const std::string text = DescribeRun(testing::ExampleRun("p", 4).run, {});
  EXPECT_THAT(LinesOf(text).back(), AllOf(HasSubstr("accuracy 87.5 %"), HasSubstr("first model")));
}

TEST(RunReport, OfARunThatIsOverWithoutATriggerSaysSo) {
  auto run = testing::ExampleRun("p", 1).run;
  EXPECT_THAT(DescribeRun(run, {}), HasSubstr("The run is over and no trigger fired"));
  run.mutable_run()->set_state(supervisor::v1::RUN_STATE_RUNNING);
  EXPECT_THAT(DescribeRun(run, {}), HasSubstr("No trigger has fired yet."));
}

TEST(RunReport, SumsUpWhatLimitedTheTrainings) {
  auto run = testing::ExampleRun("p", 11).run;
  for (auto& trigger : *run.mutable_triggers()) {
    trigger.mutable_result()->set_verdict(
        "1 % of the time waiting for data; limit: the training itself");
  }
  run.mutable_triggers(4)->mutable_result()->set_verdict(
      "40 % of the time waiting for data; limit: op resize (64 % of preparing)");
  EXPECT_THAT(DescribeRun(run, {}),
              HasSubstr("what limited training: the training itself in 9; op resize in 1 "
                        "(trigger 5)\n"));
  EXPECT_THAT(DescribeRun(run, {.full = true}),
              HasSubstr("      5  40 % of the time waiting for data; limit: op resize (64 % of"));
}

}  // namespace
}  // namespace tidemill::cli
