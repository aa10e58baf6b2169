#include "base/printable.h"

#include <gtest/gtest.h>

namespace tidemill {
namespace {

TEST(Printable, LeavesPrintableTextUnchanged) {
  for (const char* const text :
       {"", "elec2", "Zürich, 東京 🌊", "نمی\xE2\x80\x8Cخواهم", "a\\b \"c\""}) {
    EXPECT_EQ(Printable(text), text);
    EXPECT_TRUE(IsPrintable(text)) << text;
  }
}

TEST(Printable, ShowsWhatWouldDriveATerminal) {
  EXPECT_EQ(Printable("a\x1b]0;owned\x07"), R"(a\x1b]0;owned\x07)");
  EXPECT_EQ(Printable(std::string_view("x\0y", 3)), R"(x\x00y)");
  EXPECT_EQ(Printable("one\ntwo\tthree\r"), R"(one\ntwo\x09three\x0d)");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            R"(\xc2\x9b31m)");
}

TEST(Printable, ShowsWhatWouldTurnOrHideText) {
  EXPECT_EQ(Printable("gpj.\xE2\x80\xAE"
                      "exe"),
            R"(gpj.\xe2\x80\xaeexe)");
  for (const char* const hidden : {"\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u202a",
                                   "\u2066", "\u2069", "\ufeff", "\u00ad", "\U000e0041"}) {
    EXPECT_FALSE(IsPrintable(hidden)) << Printable(hidden);
    EXPECT_TRUE(IsPrintable(Printable(hidden)));
  }
}

TEST(Printable, ShowsBytesThatAreNotText) {
  EXPECT_EQ(Printable("\xff"
                      "a\xc3"),
            R"(\xffa\xc3)");
  // Overlong, a surrogate, and beyond the last character.
  EXPECT_EQ(Printable("\xc0\xaf"), R"(\xc0\xaf)");
  EXPECT_EQ(Printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");
}

TEST(WholeCharacters, CutsBeforeACharacterThatHasNoRoom) {
  EXPECT_EQ(WholeCharacters("a\u20acb", 5), "a\u20acb");
  EXPECT_EQ(WholeCharacters("a\u20acb", 4), "a\u20ac");
  EXPECT_EQ(WholeCharacters("a\u20acb", 3), "a");
  EXPECT_EQ(WholeCharacters("a\u20acb", 2), "a");
  EXPECT_EQ(WholeCharacters("a\u20acb", 1), "a");
  EXPECT_EQ(WholeCharacters("a\u20acb", 0), "");
  EXPECT_EQ(WholeCharacters("\x80\x80\x80\x80\x80\x80\x80", 6), "\x80\x80\x80\x80\x80\x80");
}

TEST(Printable, KeepsWhatItIsAskedTo) { EXPECT_EQ(Printable("a\n\tb\x1b", "\n\t"), "a\n\tb\\x1b"); }

}  // namespace
}  // namespace tidemill
