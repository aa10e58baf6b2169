#include "engine/run_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace tidemill::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsOkAndHolds;
using testing::StatusIs;

TEST(RunProgram, GivesWhatTheProgramWrote) {
  EXPECT_THAT(RunProgram({"sh", "-c", "cat; echo $PLACE; echo noise >&2"},
                         {.input = "hello ", .variables = {"PLACE=here"}}),
              IsOkAndHolds("hello here\n"));
}

TEST(RunProgram, TakesMoreThanAPipeHolds) {
  const std::string much(size_t{3} << 20, 'x');
  EXPECT_THAT(RunProgram({"cat"}, {.input = much}), IsOkAndHolds(much));
}

TEST(RunProgram, SaysWhyThereIsNoOutput) {
  const auto unavailable = absl::StatusCode::kUnavailable;
  EXPECT_THAT(RunProgram({"no-such-program"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no program no-such-program")));
  EXPECT_THAT(RunProgram({"sh", "-c", "echo down >&2; exit 3"}),
              StatusIs(unavailable, AllOf(HasSubstr("code 3"), HasSubstr("down"))));
  EXPECT_THAT(RunProgram({"sh", "-c", "kill -9 $$"}), StatusIs(unavailable, HasSubstr("signal 9")));
  EXPECT_THAT(RunProgram({"sleep", "60"}, {.timeout = std::chrono::milliseconds(50)}),
              StatusIs(unavailable, HasSubstr("longer than 50 ms")));
}

}  // namespace
}  // namespace tidemill::engine
