#include "loader/path/path_verdict.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

// Makers that were busy all the time, a tenth of it reading.
PathWork Busy() { return {.busy_ns = 1000, .cpu_ns = 900, .read_ns = 100, .capacity_ns = 1000}; }

PathWork WithOps(PathWork work) {
  work.ops = {{.type = "parse_csv", .work = {.wall_ns = 200}},
              {.type = "resize", .work = {.wall_ns = 640}}};
  return work;
}

TEST(PathVerdict, ATrainingThatHardlyWaitsIsItsOwnLimit) {
  EXPECT_EQ(Judge(0.05, WithOps(Busy())).limit, PathLimit::kTrainer);
}

TEST(PathVerdict, TheOpThatTakesMostIsNamed) {
  const PathVerdict verdict = Judge(0.4, WithOps(Busy()));
  EXPECT_EQ(verdict.limit, PathLimit::kOp);
  EXPECT_EQ(verdict.op, "resize");
  EXPECT_EQ(verdict.ToText(),
            "40 % of the time waiting for data; limit: op resize (64 % of preparing)");
}

TEST(PathVerdict, OnAGpuItIsTheGpuThatWaits) {
  EXPECT_EQ(Judge(0.41, WithOps(Busy()), /*is_of_gpu=*/true).ToText(),
            "the GPU waits 41 % of the time for batches; limit: op resize (64 % of preparing)");
}

TEST(PathVerdict, ReadingThatTakesMostIsStorage) {
  PathWork work = WithOps(Busy());
  work.read_ns = 700;
  EXPECT_EQ(Judge(0.4, work).limit, PathLimit::kStorage);
}

TEST(PathVerdict, ALinkThatAlwaysHasSomethingToSendIsTheNetwork) {
  PathWork work = WithOps(Busy());
  work.link_busy_ns = 800;
  work.link_ns = 1000;
  EXPECT_EQ(Judge(0.4, work).limit, PathLimit::kNetwork);
}

TEST(PathVerdict, ThreadsThatWaitForProcessorsLackCores) {
  PathWork work = WithOps(Busy());
  work.queue_ns = 500;
  EXPECT_EQ(Judge(0.4, work).limit, PathLimit::kCores);
}

TEST(PathVerdict, ThreadsThatMostlyWaitForSomethingElseDoNotLackCores) {
  PathWork work{.busy_ns = 1000, .cpu_ns = 100, .queue_ns = 350, .capacity_ns = 1000};
  work.ops = {{.type = "delay", .work = {.wall_ns = 900}}};
  EXPECT_EQ(Judge(0.4, work).op, "delay");
  work.cpu_ns = 500;
  EXPECT_EQ(Judge(0.4, work).limit, PathLimit::kCores);
}

TEST(PathVerdict, MakersThatWaitForOtherTrainingsNameThem) {
  PathWork work = WithOps({.busy_ns = 200, .cpu_ns = 200, .capacity_ns = 1000});
  work.shared.wait_ns = 700;
  const PathVerdict verdict = Judge(0.4, work);
  EXPECT_EQ(verdict.limit, PathLimit::kSharing);
  EXPECT_EQ(verdict.ToText(),
            "40 % of the time waiting for data; limit: the trainings that prepare the same samples "
            "(70 % of the time waiting for them)");
}

TEST(PathVerdict, MakersThatHadLittleToDoAreNoLimit) {
  PathWork work = WithOps(Busy());
  work.capacity_ns = 10'000;
  EXPECT_EQ(Judge(0.4, work).limit, PathLimit::kStart);
  EXPECT_EQ(Judge(0.4, {}).limit, PathLimit::kUnknown) << "nothing was measured";
}

}  // namespace
}  // namespace tidemill::loader
