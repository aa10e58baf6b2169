#include "base/failpoints.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/testing/status_matchers.h"

namespace tidemill::failpoints {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class FailpointsTest : public ::testing::Test {
 protected:
  ~FailpointsTest() override { DisarmAll(); }
};

absl::Status PassCopy() {
  RETURN_IF_FAILPOINT("test.copy");
  return absl::OkStatus();
}

TEST_F(FailpointsTest, DoNothingUnlessArmed) {
  EXPECT_THAT(PassCopy(), IsOk());
  ASSERT_THAT(Arm("test.other=error"), IsOk());
  EXPECT_THAT(PassCopy(), IsOk());
}

TEST_F(FailpointsTest, FailAtThePassageThatWasNamed) {
  ASSERT_THAT(Arm("test.copy=error:2"), IsOk());
  EXPECT_THAT(PassCopy(), IsOk());
  EXPECT_THAT(PassCopy(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("test.copy")));
  EXPECT_THAT(PassCopy(), IsOk());
}

TEST_F(FailpointsTest, WaitWhenToldSo) {
  ASSERT_THAT(Arm("test.copy=delay:3ms"), IsOk());
  const auto start = std::chrono::steady_clock::now();
  FAILPOINT("test.copy");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{3});
}

TEST_F(FailpointsTest, CallAtTheFirstPassageAndMayPassFailpointsThere) {
  int num_calls = 0;
  ArmCall("test.copy", [&] {
    ++num_calls;
    EXPECT_THAT(PassCopy(), IsOk());
  });
  EXPECT_THAT(PassCopy(), IsOk());
  EXPECT_THAT(PassCopy(), IsOk());
  EXPECT_EQ(num_calls, 1);
}

TEST_F(FailpointsTest, RefuseTextThatDoesNotParse) {
  for (const char* const text : {"x", "=kill", "x=", "x=die", "x=kill:0", "x=kill:1x", "x=delay",
                                 "x=delay:5", "a=kill;x=no"}) {
    EXPECT_THAT(Arm(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(""))) << text;
  }
}

using FailpointsDeathTest = FailpointsTest;

TEST_F(FailpointsDeathTest, KillTheProcess) {
  EXPECT_EXIT(
      {
        Arm("test.other=error;test.copy=kill:2").IgnoreError();
        FAILPOINT("test.copy");
        FAILPOINT("test.copy");
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace tidemill::failpoints
