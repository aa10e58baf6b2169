#include "cli/views/progress.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "cli/terminal/pace.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

supervisor::v1::Progress Training() {
  supervisor::v1::Progress progress;
  progress.set_stage("train");
  progress.set_trigger(3);
  progress.set_expected_triggers(12);
  progress.set_done(600);
  progress.set_total(1000);
  progress.set_unit("samples");
  progress.set_per_second(41'000);
  progress.set_loss(0.48);
  progress.set_wait_share(0.63);
  progress.set_share(0.417);
  return progress;
}

TEST(ProgressLine, SaysHowFarTheWholeRunIs) {
  EXPECT_EQ(ProgressLine(Training(), 121, 200),
            "trigger 3 of about 12, training, 41 %, 2 min left, loss 0.48, 41 k samples/s, waiting "
            "for data 63 %");
}

TEST(ProgressLine, FitsAndIsNeverCutInsideAWord) {
  EXPECT_EQ(ProgressLine(Training(), 121, 79),
            "trigger 3 of about 12, training, 41 %, 2 min left, loss 0.48, 41 k samples/s");
  EXPECT_EQ(ProgressLine(Training(), 121, 39), "trigger 3 of about 12, 41 %, 2 min left");
  EXPECT_EQ(ProgressLine(Training(), 121, 22), "trigger 3 of about 12");
  EXPECT_EQ(ProgressLine(Training(), 121, 5), "");
  for (size_t width = 0; width < 120; ++width) {
    EXPECT_LE(ProgressLine(Training(), 121, width).size(), width);
  }
}

TEST(ProgressLine, OfAStageBesideTheStreamIsThatOfTheStage) {
  supervisor::v1::Progress measuring;
  measuring.set_stage("evaluate");
  measuring.set_done(34);
  measuring.set_total(104);
  measuring.set_unit("windows");
  EXPECT_EQ(ProgressLine(measuring, 9, 80), "measuring, 34 of 104 windows, 32 %, 10 s left");
  supervisor::v1::Progress following;
  following.set_stage("follow");
  following.set_trigger(2);
  following.set_done(1200);
  following.set_unit("samples");
  EXPECT_EQ(ProgressLine(following, std::nullopt, 80),
            "trigger 2, following, 1,200 samples so far");
}

TEST(Pace, TellsWhatIsLeftFromHowItWent) {
  using std::chrono::seconds;
  Pace pace;
  const Pace::Time begin;
  EXPECT_EQ(pace.SecondsLeft(), std::nullopt);
  pace.Note(0.2, begin);
  pace.Note(0.205, begin + seconds{10});
  EXPECT_EQ(pace.SecondsLeft(), std::nullopt);  // Too little was seen.
  pace.Note(0.4, begin + seconds{30});
  EXPECT_THAT(pace.SecondsLeft(), Optional(DoubleNear(90, 1e-6)));
  pace.Note(0.1, begin + seconds{40});  // Something else began.
  EXPECT_EQ(pace.SecondsLeft(), std::nullopt);
}

TEST(Pace, IsTextWithoutFalsePrecision) {
  EXPECT_EQ(About(1), "5 s");
  EXPECT_EQ(About(42), "40 s");
  EXPECT_EQ(About(58), "1 min");
  EXPECT_EQ(About(121), "2 min");
  EXPECT_EQ(About(3600 * 1.33), "1 h 20 min");
  EXPECT_EQ(About(86'400 * 3), "3 d");
}

TEST(Wrapped, BreaksBetweenWordsOnly) {
  EXPECT_EQ(Wrapped("one two  three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(Wrapped("extraordinarily long", 9, 0), "extraordinarily\nlong\n");
  EXPECT_EQ(Wrapped("ä ö ü", 5, 0), "ä ö ü\n");
  EXPECT_EQ(Wrapped("a file  has room", View(), 1), " a file  has room\n");
}

TEST(WrappedLines, KeepsEachLineAndTheProgressInIt) {
  const View narrow{.is_terminal = true, .width = 9};
  EXPECT_EQ(WrappedLines("one\n  two three four\n", narrow), "one\n  two\n  three\n  four\n");
  EXPECT_EQ(WrappedLines("  two three four\n", View()), "  two three four\n");
}

}  // namespace
}  // namespace tidemill::cli
