#include "supervisor/usage/step_usage.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::supervisor {
namespace {

using ::testing::SizeIs;
using usage::Amounts;

rpc::v1::UsageTotal TotalOf(const char* name, const Amounts& amounts) {
  rpc::v1::UsageTotal total;
  total.set_name(name);
  *total.mutable_usage() = rpc::ToMessage(amounts);
  return total;
}

class StepUsageTest : public ::testing::Test {
 protected:
  // As RunRecord does: the event becomes part of what is known.
  void Record() {
    v1::RunEvent event;
    for (v1::StageUsage& row : step_.Unrecorded()) *event.add_usage() = std::move(row);
    known_.Apply(event);
    step_.Recorded();
  }

  StepUsage step_;
  RunUsage known_;
};

TEST_F(StepUsageTest, BelongsToTheStepThatIsTaken) {
  step_.Begin("select", 1);
  step_.account()->Add({.service_nanos = 5});
  step_.Begin("fit", 1);
  step_.account()->Add({.service_nanos = 7});
  Record();
  EXPECT_EQ(known_.Of(1, "select").service_nanos, 5);
  EXPECT_EQ(known_.Of(1, "fit").service_nanos, 7);
  EXPECT_THAT(step_.Unrecorded(), SizeIs(0));
}

TEST_F(StepUsageTest, CountsTheTotalOfAJobOnce) {
  step_.Begin("train", 1);
  step_.NoteJob(TotalOf("job", {.job_nanos = 3}), known_);
  step_.NoteJob(TotalOf("job", {.job_nanos = 8}), known_);
  Record();
  step_.NoteJob(TotalOf("job", {.job_nanos = 8}), known_);
  Record();
  step_.NoteJob(TotalOf("job", {.job_nanos = 20}), known_);
  step_.account()->Add({.service_nanos = 1});
  Record();
  EXPECT_EQ(known_.Of(1, "train"), (Amounts{.job_nanos = 20, .service_nanos = 1}));
}

TEST_F(StepUsageTest, CountsBothTotalsOfATrainingThatWasBegunElsewhere) {
  step_.Begin("train", 1);
  step_.NoteJob(TotalOf("job of one server", {.job_nanos = 8}), known_);
  step_.NoteJob(TotalOf("job of another", {.job_nanos = 30}), known_);
  Record();
  EXPECT_EQ(known_.Of(1, "train").job_nanos, 38);
}

TEST_F(StepUsageTest, OfAConductorThatTakesOverContinuesFromWhatIsRecorded) {
  step_.Begin("train", 1);
  step_.NoteJob(TotalOf("job", {.job_nanos = 8}), known_);
  Record();
  StepUsage next;
  next.Begin("train", 1);
  next.NoteJob(TotalOf("job", {.job_nanos = 11}), known_);
  ASSERT_THAT(next.Unrecorded(), SizeIs(1));
  EXPECT_EQ(next.Unrecorded()[0].usage().job_nanos(), 3);
}

TEST_F(StepUsageTest, IsWorthAnEventWhenItIsMuch) {
  step_.Begin("decide", 1);
  step_.account()->Add({.service_nanos = 59'000'000'000});
  EXPECT_FALSE(step_.IsMuch());
  step_.account()->Add({.job_nanos = 1'000'000'000});
  EXPECT_TRUE(step_.IsMuch());
  Record();
  EXPECT_FALSE(step_.IsMuch());
}

}  // namespace
}  // namespace tidemill::supervisor
