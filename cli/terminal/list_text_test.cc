#include "cli/terminal/list_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

const std::vector<ListColumn> kColumns = {{.key = "run", .header = "RUN"},
                                          {.key = "name", .header = ""},
                                          {.key = "note", .header = "NOTE", .only_wide = true}};

std::vector<ListEntry> Entries() {
  return {{.cells = {"1", "", "a\nb"}, .values = {"1", "x", "a,b"}, .json = R"({"run":1})"},
          {.cells = {"2", "", "-"}, .values = {"2", "", "=1+1"}, .json = R"({"run":2})"}};
}

TEST(ListText, TablesHaveTheColumnsThatFit) {
  EXPECT_EQ(DescribeList(kColumns, Entries(), ListFormat::kTable), "RUN\n  1\n  2\n");
  EXPECT_EQ(DescribeList(kColumns, Entries(), ListFormat::kWide),
            "RUN  NOTE\n  1  a\\nb\n  2  -\n");
}

TEST(ListText, CsvHasEveryColumnAndAHeaderWithoutEntries) {
  EXPECT_EQ(DescribeList(kColumns, Entries(), ListFormat::kCsv),
            "run,name,note\n1,x,\"a,b\"\n2,,'=1+1\n");
  EXPECT_EQ(DescribeList(kColumns, {}, ListFormat::kCsv), "run,name,note\n");
}

TEST(ListText, JsonIsAList) {
  EXPECT_EQ(DescribeList(kColumns, Entries(), ListFormat::kJson), "[{\"run\":1},{\"run\":2}]\n");
  EXPECT_EQ(DescribeList(kColumns, {}, ListFormat::kJson), "[]\n");
}

TEST(ListText, SaysWhatALimitLeavesOut) {
  EXPECT_EQ(DescribeLeftOut(0), "");
  EXPECT_EQ(DescribeLeftOut(1234), "1,234 more; --limit 0 shows all\n");
}

}  // namespace
}  // namespace tidemill::cli
