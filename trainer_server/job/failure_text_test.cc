#include "trainer_server/job/failure_text.h"

#include "gtest/gtest.h"

#include "plugin/process/fault.h"

namespace tidemill::trainer_server {
namespace {

TEST(TextOf, IsTheMessageAndTheEndOfTheTraceback) {
  const absl::Status plain = InvalidArgument("the score is bad");
  EXPECT_EQ(TextOf(plain, 100), "the score is bad");
  EXPECT_EQ(TextOf(plain, 9), "the score");
  const absl::Status traced = plugin::WithTraceback(plain, "line one\nline two\nline three");
  EXPECT_EQ(TextOf(traced, 100), "the score is bad\nline one\nline two\nline three");
  EXPECT_EQ(TextOf(traced, 37), "the score is bad\nline two\nline three");
  EXPECT_EQ(TextOf(traced, 17), "the score is bad");
}

TEST(TextOf, CutsNoCharacter) {
  const absl::Status plain = InvalidArgument("1 \u20ac");
  EXPECT_EQ(TextOf(plain, 5), "1 \u20ac");
  EXPECT_EQ(TextOf(plain, 4), "1 ");
  const absl::Status traced = plugin::WithTraceback(plain, "\u20ac\u20ac");
  EXPECT_EQ(TextOf(traced, 12), "1 \u20ac\n\u20ac\u20ac");
  EXPECT_EQ(TextOf(traced, 10), "1 \u20ac\n\u20ac");
}

}  // namespace
}  // namespace tidemill::trainer_server
