#include "base/paths/shell_word.h"

#include "gtest/gtest.h"

namespace tidemill {
namespace {

TEST(ShellWord, IsQuotedWhereTheShellWouldReadMoreInIt) {
  EXPECT_EQ(ShellWord("wind_speed-2.5"), "wind_speed-2.5");
  EXPECT_EQ(ShellWord("Snowfall (cm)"), "'Snowfall (cm)'");
  EXPECT_EQ(ShellWord("helpful[1]"), "'helpful[1]'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("\xC3\xA4"), "'\xC3\xA4'");
}

}  // namespace
}  // namespace tidemill
