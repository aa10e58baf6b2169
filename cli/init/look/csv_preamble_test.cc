#include "cli/init/look/csv_preamble.h"

#include "gmock/gmock.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(CsvPreamble, CommentsAndSepAreBeforeTheTable) {
  EXPECT_EQ(FindComments("# Station 42, logger 3\nt,x,y\n1,2,3\n").num_lines, 1);
  EXPECT_EQ(FindComments("# a\n\n% b\r\n\nt,x\n1,2\n").num_lines, 3);
  EXPECT_EQ(FindComments("t,x\n1,2\n").num_lines, 0);
  const Preamble excel = FindComments("sep=;\r\na;b\r\n1;2\r\n");
  EXPECT_EQ(excel.num_lines, 1);
  EXPECT_THAT(excel.delimiter, Optional(std::string(";")));
  EXPECT_THAT(FindComments("\"SEP=|\"\na|b\n").delimiter, Optional(std::string("|")));
}

TEST(CsvPreamble, AHeaderMayBeginWithASign) {
  EXPECT_EQ(FindComments("#time,x\n2024-01-02,3\n").num_lines, 0);
  EXPECT_EQ(FindComments("# made by hand\n#time,x\n2024-01-02,3\n").num_lines, 1);
  EXPECT_EQ(FindComments("# a, b\ntime,x\n2024-01-02,3\n").num_lines, 1);
}

TEST(CsvPreamble, ATitleHasFewerFieldsThanTheTable) {
  const std::string table = "t,x,y\n1,2,3\n4,5,6\n7,8,9\n";
  EXPECT_EQ(FindTitle("Report of May\n\n" + table, {}, true).num_lines, 1);
  EXPECT_EQ(FindTitle("\"two\nlines\"\nof,title\n" + table, {}, true).num_lines, 0);
  EXPECT_EQ(FindTitle("\"two\nlines\"\nof a title\n" + table, {}, true).num_lines, 3);
  EXPECT_EQ(FindTitle(table, {}, true).num_lines, 0);
  // As R writes it: the names of rows have no name.
  EXPECT_EQ(FindTitle("x,y\na,2,3\nb,5,6\n", {}, true).num_lines, 0);
}

TEST(CsvPreamble, AHeaderThatCannotNameTheColumnsIsReplaced) {
  const auto twice =
      NameColumns("t,x,x,y\n1,2,3,4\n", {{"t", "x", "x", "y"}, {"1", "2", "3", "4"}}, 4, {});
  ASSERT_TRUE(twice);
  EXPECT_THAT(twice->names, ElementsAre("t", "x", "x_2", "y"));
  EXPECT_EQ(twice->num_lines, 1);
  const auto of_r = NameColumns("x,y\na,2,3\n", {{"x", "y"}, {"a", "2", "3"}}, 3, {});
  ASSERT_TRUE(of_r);
  EXPECT_THAT(of_r->names, ElementsAre("row", "x", "y"));
  EXPECT_THAT(of_r->reason, HasSubstr("2 names for 3 columns"));
  EXPECT_FALSE(NameColumns("t,x\n1,2\n", {{"t", "x"}, {"1", "2"}}, 2, {}));
  EXPECT_FALSE(NameColumns("1,1\n1,2\n", {{"1", "1"}, {"1", "2"}}, 2, {}));
}

}  // namespace
}  // namespace tidemill::cli
