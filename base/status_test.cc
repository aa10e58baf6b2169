#include "base/status.h"

#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace tidemill {
namespace {

TEST(Annotate, SaysWhatWasBeingDoneAndKeepsAllElse) {
  absl::Status failure = Unavailable("no process could be started");
  failure.SetPayload("tidemill/of_machine", absl::Cord("1"));
  const absl::Status annotated = Annotate(failure, "the op 2");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(annotated.message()), "the op 2: no process could be started");
  ASSERT_TRUE(annotated.GetPayload("tidemill/of_machine").has_value());
  EXPECT_EQ(std::string(*annotated.GetPayload("tidemill/of_machine")), "1");
}

TEST(Annotate, LeavesSuccessUnchanged) { EXPECT_TRUE(Annotate(absl::OkStatus(), "the op 2").ok()); }

}  // namespace
}  // namespace tidemill
