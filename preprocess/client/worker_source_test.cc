#include "preprocess/client/worker_source.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/testing/small_set.h"

namespace tidemill::preprocess {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::StatusIs;

// Before it speaks to any dispatcher.
absl::Status OpenStatus(const JobSpec& job, Delivery delivery) {
  auto maker =
      loader::BatchMaker::Create({.set = loader::testing::Shared(loader::testing::MakeSet(100)),
                                  .reader = loader::testing::ReadSamples,
                                  .graph = loader::testing::MakeGraph()},
                                 loader::testing::Plan(8, 1));
  EXPECT_TRUE(maker.ok()) << maker.status().ToString();
  return WorkerSource::Open(job, "", *std::move(maker), {.delivery = delivery}).status();
}

TEST(WorkerSource, RefusesLateRowsWhereBatchesMustNotChange) {
  EXPECT_THAT(OpenStatus({.slow_after = 1000}, Delivery::kOrdered),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("relaxed")));
  JobSpec padded{.slow_after = 1000};
  padded.last_batch = loader::LastBatch::kPad;
  JobSpec bucketed{.slow_after = 1000};
  bucketed.buckets.emplace();
  JobSpec mixed{.slow_after = 1000};
  mixed.mix.emplace();
  const std::vector<JobSpec> refused = {padded, bucketed, mixed, {.slow_after = -1}};
  for (const JobSpec& job : refused) {
    EXPECT_THAT(OpenStatus(job, Delivery::kRelaxed),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::AnyOf(HasSubstr("late"), HasSubstr("slow_after"))));
  }
}

}  // namespace
}  // namespace tidemill::preprocess
