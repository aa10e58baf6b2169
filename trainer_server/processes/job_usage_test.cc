#include "trainer_server/processes/job_usage.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::Gt;
using ::testing::Not;
using usage::Amounts;

rpc::v1::Usage Reported(int64_t job_nanos, int64_t service_nanos) {
  return rpc::ToMessage({.job_nanos = job_nanos, .service_nanos = service_nanos});
}

// A folder of a test.
class Folder {
 public:
  Folder() {
    char pattern[] = "/tmp/job-usage-XXXXXX";
    path_ = mkdtemp(pattern);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class JobUsageTest : public ::testing::Test {
 protected:
  static Amounts Of(const JobUsage& usage) { return rpc::FromMessage(usage.Total().usage()); }

  const Folder folder_;
};

TEST_F(JobUsageTest, TakesTheTimeOfAProcessFromItsEndAndTheRestFromItsReports) {
  JobUsage usage(folder_.path(), "train");
  usage.Begin();
  usage.Report(Reported(/*job_nanos=*/10, /*service_nanos=*/3));
  EXPECT_EQ(Of(usage), (Amounts{.job_nanos = 10, .service_nanos = 3})) << "while it runs";
  usage.account()->Add({.job_nanos = 12});
  usage.End();
  EXPECT_EQ(Of(usage), (Amounts{.job_nanos = 12, .service_nanos = 3}));
}

TEST_F(JobUsageTest, CountsAllAttempts) {
  JobUsage usage(folder_.path(), "train");
  for (int attempt = 1; attempt <= 2; ++attempt) {
    usage.Begin();
    usage.Report(Reported(10, 3));
    usage.account()->Add({.job_nanos = 12});
    usage.End();
  }
  EXPECT_EQ(Of(usage), (Amounts{.job_nanos = 24, .service_nanos = 6}));
}

TEST_F(JobUsageTest, KeepsWhatAProcessHasReportedWhoseEndIsLost) {
  JobUsage usage(folder_.path(), "train");
  usage.Begin();
  usage.Report(Reported(10, 3));
  usage.End();
  EXPECT_EQ(Of(usage).job_nanos, 10);
}

TEST_F(JobUsageTest, SurvivesItsServer) {
  std::string name;
  {
    JobUsage usage(folder_.path(), "train");
    usage.Begin();
    usage.account()->Add({.job_nanos = 12});
    usage.End();
    name = usage.Total().name();
  }
  JobUsage usage(folder_.path(), "train");
  EXPECT_EQ(usage.Total().name(), name);
  usage.Begin();
  usage.account()->Add({.job_nanos = 5});
  usage.End();
  EXPECT_EQ(JobUsage::Find(folder_.path(), "train")->usage().job_nanos(), 17);
  EXPECT_FALSE(JobUsage::Find(folder_.path(), "fit"));
}

TEST_F(JobUsageTest, HasAnotherNameInAnotherFolder) {
  const Folder other;
  EXPECT_THAT(JobUsage(folder_.path(), "train").Total().name(),
              Not(JobUsage(other.path(), "train").Total().name()));
}

TEST_F(JobUsageTest, CountsADeviceForAsLongAsTheAttemptHoldsIt) {
  JobUsage usage(folder_.path(), "train");
  usage.Begin("cuda");
  const int64_t first = Of(usage).device_nanos["cuda"];
  EXPECT_THAT(Of(usage).device_nanos["cuda"], Gt(first));
  usage.End();
  const int64_t held = Of(usage).device_nanos["cuda"];
  usage.Begin();
  usage.End();
  EXPECT_EQ(Of(usage).device_nanos["cuda"], held) << "it was on a processor";
}

}  // namespace
}  // namespace tidemill::trainer_server
