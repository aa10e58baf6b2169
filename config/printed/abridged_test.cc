#include "config/printed/abridged.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::config {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Abridged, LeavesShortValuesUnchanged) {
  EXPECT_EQ(Abridged(""), "");
  EXPECT_EQ(Abridged(std::string(1024, 'x')), std::string(1024, 'x'));
}

TEST(Abridged, TellsTheSizeOfLongOnesAndTellsThemApart) {
  EXPECT_THAT(Abridged(std::string(1'234'567, 'x')), StartsWith("<1,234,567 bytes, SHA-256 "));
  EXPECT_EQ(Abridged(std::string(5000, 'x')), Abridged(std::string(5000, 'x')));
  EXPECT_NE(Abridged(std::string(5000, 'x')), Abridged(std::string(5000, 'y')));
}

TEST(AbridgedDocument, KeepsKeysAndShortLines) {
  const std::string program(4000, 'A');
  const std::string text = AbridgedDocument("trigger:\n  type: plugin\n  program: " + program +
                                            "\n  with:\n    a: 1\nlist:\n  - " + program + "\n");
  EXPECT_THAT(text, StartsWith("trigger:\n  type: plugin\n  program: <4,000 bytes, SHA-256 "));
  EXPECT_THAT(text, HasSubstr(">\n  with:\n    a: 1\nlist:\n  - <4,000 bytes"));
  EXPECT_THAT(text, EndsWith(">\n"));
  EXPECT_THAT(text, Not(HasSubstr("AAAA")));
}

TEST(AbridgedDocument, LeavesDocumentsWithoutLongValuesUnchanged) {
  EXPECT_EQ(AbridgedDocument("a: 1\nb: [1, 2]\n"), "a: 1\nb: [1, 2]\n");
}

}  // namespace
}  // namespace tidemill::config
