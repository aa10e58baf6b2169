#include "base/logs/sparse_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tidemill::log {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class SparseLogTest : public ::testing::Test {
 protected:
  SparseLogTest() { CaptureStderr(); }

  SparseLog::Clock::time_point now_{std::chrono::hours{1}};
  SparseLog log_{"call refused", 2, [this] { return now_; }};
};

TEST_F(SparseLogTest, WritesALimitedNumberOfLinesASecondAndCountsTheRest) {
  for (int i = 0; i < 100'000; ++i) log_.Warn({{"number", std::to_string(i)}});
  now_ += std::chrono::seconds{1};
  log_.Warn({{"number", "last"}});
  const std::string lines = GetCapturedStderr();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  EXPECT_THAT(lines, HasSubstr("call refused number=\"1\"\n"));
  EXPECT_THAT(lines, HasSubstr("lines were left out message=\"call refused\" lines=\"99998\"\n"));
  EXPECT_THAT(lines, HasSubstr("call refused number=\"last\"\n"));
}

TEST_F(SparseLogTest, TellsOnceWhatNoLineFollowed) {
  for (int i = 0; i < 5; ++i) log_.Warn({});
  log_.Tell();
  log_.Tell();
  const std::string lines = GetCapturedStderr();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
  EXPECT_THAT(lines, HasSubstr("lines=\"3\""));
}

}  // namespace
}  // namespace tidemill::log
