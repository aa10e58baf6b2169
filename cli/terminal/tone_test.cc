#include "cli/terminal/tone.h"

#include "gtest/gtest.h"

#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

TEST(Tone, ColoursOnlyWhatMustBePainted) {
  EXPECT_EQ(InTone("failed", Tone::kBad, true), "\x1b[31mfailed\x1b[0m");
  EXPECT_EQ(InTone("failed", Tone::kBad, false), "failed");
  EXPECT_EQ(InTone("none", Tone::kPlain, true), "none");
}

TEST(Tone, OfEveryStateOfARun) {
  EXPECT_EQ(ToneOfState("running"), Tone::kActive);
  EXPECT_EQ(ToneOfState("succeeded"), Tone::kGood);
  EXPECT_EQ(ToneOfState("failed"), Tone::kBad);
  EXPECT_EQ(ToneOfState("stopped"), Tone::kDoubtful);
  EXPECT_EQ(ToneOfState("<none>"), Tone::kPlain);
}

TEST(Tone, OfACellLeavesTheColumnsOfATableAligned) {
  Table table({"RUN", "STATE", "SAMPLES"});
  table.Add({"1", "failed", "20"});
  table.Add({"2", "succeeded", "3"});
  const std::string plain = table.ToString();
  table.Paint(1, ToneOfState);
  EXPECT_EQ(table.ToString(),
            "RUN  STATE      SAMPLES\n"
            "  1  \x1b[31mfailed\x1b[0m          20\n"
            "  2  \x1b[32msucceeded\x1b[0m        3\n");
  EXPECT_EQ(plain,
            "RUN  STATE      SAMPLES\n"
            "  1  failed          20\n"
            "  2  succeeded        3\n");
}

}  // namespace
}  // namespace tidemill::cli
