#include "base/names.h"

#include <gtest/gtest.h>

#include "base/printable.h"
#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

TEST(Names, AreLettersDigitsAndThreeSigns) {
  for (const char* const name : {"elec2", "a", "7", "_x", "Wave-2.v1_b"}) {
    EXPECT_THAT(CheckName("dataset", name), IsOk());
  }
  EXPECT_THAT(CheckName("dataset", std::string(kMaxNameBytes, 'a')), IsOk());
}

TEST(Names, RefuseWhatReadsAsAPathAnOptionOrACommandOfATerminal) {
  const std::string bad[] = {"",
                             "../../x",
                             "a/b",
                             ".hidden",
                             "-x",
                             "a b",
                             "a\nb",
                             "\x1b[31m",
                             "ü",
                             "\xE2\x80\xAE",
                             "a\\b",
                             std::string("x\0y", 3),
                             "a\"b",
                             "\xff",
                             "a;b",
                             std::string(3'000, 'a'),
                             "${HOME}",
                             "*",
                             "a\tb",
                             "a'b",
                             std::string(kMaxNameBytes + 1, 'a')};
  for (const std::string& name : bad) {
    const absl::Status status = CheckName("dataset", name);
    EXPECT_THAT(status,
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot name a dataset")));
    EXPECT_TRUE(IsPrintable(std::string(status.message())));
    EXPECT_LT(status.message().size(), 500);
  }
}

TEST(Names, NoNamespaceIsTheDefaultOne) {
  EXPECT_THAT(CheckedNamespace(""), IsOkAndHolds(std::string("default")));
  EXPECT_THAT(CheckedNamespace("team"), IsOkAndHolds(std::string("team")));
  EXPECT_THAT(CheckedNamespace("a\nb"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot name a namespace")));
}

TEST(Names, LabelsAreSeenAndBounded) {
  EXPECT_THAT(CheckLabel("job", "run-1/trigger-2/abc of Zürich"), IsOk());
  EXPECT_THAT(CheckLabel("endpoint", "unix:/tmp/x/worker"), IsOk());
  EXPECT_THAT(CheckLabel("job", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("empty")));
  EXPECT_THAT(CheckLabel("job", std::string("x\0y", 3)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("x\\x00y")));
  EXPECT_THAT(CheckLabel("request id", std::string(kMaxLabelBytes + 1, 'a')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("501 bytes")));
}

}  // namespace
}  // namespace tidemill
