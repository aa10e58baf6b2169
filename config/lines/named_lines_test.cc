#include "config/lines/named_lines.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

TEST(LinesOf, AreTheEntriesOfAFile) {
  EXPECT_THAT(LinesOf("\xEF\xBB\xBF"
                      "sun\r\n\nno\n 1.10 \nGr\u00fcn, \"x\"\n  \n007",
                      "a.txt"),
              IsOkAndHolds(ElementsAre("sun", "no", " 1.10 ", "Gr\u00fcn, \"x\"", "007")));
}

TEST(LinesOf, AreRefusedWithTheReason) {
  EXPECT_THAT(LinesOf("\n\n", "b.txt"), StatusIs(kInvalid, HasSubstr("b.txt has no lines")));
  EXPECT_THAT(LinesOf("a\nb\na\n", "c"), StatusIs(kInvalid, HasSubstr("'a' twice")));
  EXPECT_THAT(LinesOf("a\xff\n", "d"), StatusIs(kInvalid, HasSubstr("UTF-8")));
  std::string many;
  for (int i = 0; i <= 20'000; ++i) many += fmt::format("{}\n", i);
  EXPECT_THAT(LinesOf(many, "e"), StatusIs(kInvalid, HasSubstr("20001 lines")));
}

}  // namespace
}  // namespace tidemill::config
