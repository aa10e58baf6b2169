#include "preprocess/worker/worker_usage.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/usage/account.h"

namespace tidemill::preprocess {
namespace {

using ::testing::Ge;
using ::testing::Le;

constexpr int64_t kWorkNanos = 5'000'000;

void Work() {
  const int64_t end = usage::ProcessNanos() + kWorkNanos;
  while (usage::ProcessNanos() < end) {
  }
}

std::shared_ptr<WorkerJob> MakeJob() {
  return std::make_shared<WorkerJob>(
      [] { return absl::StatusOr<OpenedJob>(Unavailable("it is not opened")); }, 1);
}

int64_t PaidBy(const WorkerJob& job) { return job.account()->Total().worker_nanos; }

TEST(WorkerUsage, DividesAllOfTheTimeOfTheProcessAmongItsJobs) {
  WorkerUsage usage;
  usage.Divide({});
  const int64_t before = usage::ProcessNanos();
  const WorkerUsage::Jobs jobs = {{1, MakeJob()}, {2, MakeJob()}, {3, MakeJob()}};
  Work();
  usage.Divide(jobs);
  const int64_t paid = PaidBy(*jobs.at(1)) + PaidBy(*jobs.at(2)) + PaidBy(*jobs.at(3));
  EXPECT_THAT(paid, Ge(kWorkNanos));
  EXPECT_THAT(PaidBy(*jobs.at(3)) - PaidBy(*jobs.at(1)), Le(2)) << "none has made batches";
  usage.Divide({});
  EXPECT_THAT(paid, Le(usage::ProcessNanos() - before + kWorkNanos));
}

TEST(WorkerUsage, BelongsToNoJobWhileThereIsNone) {
  WorkerUsage usage;
  usage.Divide({});
  Work();
  usage.Divide({});
  const WorkerUsage::Jobs jobs = {{1, MakeJob()}};
  const int64_t before = usage::ProcessNanos();
  usage.Divide(jobs);
  EXPECT_THAT(PaidBy(*jobs.at(1)), Le(usage::ProcessNanos() - before + kWorkNanos / 2));
}

}  // namespace
}  // namespace tidemill::preprocess
