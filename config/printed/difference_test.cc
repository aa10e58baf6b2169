#include "config/printed/difference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::config {
namespace {

using ::testing::EndsWith;

TEST(DescribeDifference, SaysNothingOfEqualDocuments) {
  EXPECT_EQ(DescribeDifference("a: 1\nb:\n  c: x\n", "a: 1\nb:\n  c: x\n"), "");
}

TEST(DescribeDifference, NamesEachKeyByItsPathWithBothValues) {
  EXPECT_EQ(DescribeDifference("path: /a\nlabel:\n  kind: class\n  column: x\nfiles: \"**\"\n",
                               "path: /a\nlabel:\n  kind: real\n  column: x\nfiles: \"*.csv\"\n"),
            "label.kind is now real and was class; files is now \"*.csv\" and was \"**\"");
}

TEST(DescribeDifference, NamesKeysThatOneOfThemLacks) {
  EXPECT_EQ(DescribeDifference("a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\nd:\n  e: \"f: g\"\n"),
            "d.e is now \"f: g\" and was absent; a.c is now absent and was 2");
}

TEST(DescribeDifference, CountsTheItemsOfLists) {
  EXPECT_EQ(DescribeDifference("a:\n  - b: 1\n    c: 2\n  - b: 3\n    c: 4\n",
                               "a:\n  - b: 1\n    c: 2\n  - b: 3\n    c: 5\n"),
            "a[1].c is now 5 and was 4");
  EXPECT_EQ(DescribeDifference("a: [x, \"y: z\"]\n", "a: [x]\n"),
            "a is now [x] and was [x, \"y: z\"]");
}

TEST(DescribeDifference, ShowsTheFirstFive) {
  EXPECT_THAT(DescribeDifference("a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\n",
                                 "a: 2\nb: 2\nc: 2\nd: 2\ne: 2\nf: 2\ng: 2\n"),
              EndsWith("e is now 2 and was 1; and 2 more"));
}

}  // namespace
}  // namespace tidemill::config
