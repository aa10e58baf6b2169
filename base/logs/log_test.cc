#include "base/logs/log.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

#include "base/testing/status_matchers.h"

namespace tidemill::log {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { Configure("tidemill", Level::kInfo, false); }
};

TEST_F(LogTest, WritesOneLineOfText) {
  Configure("storage", Level::kInfo, false);
  CaptureStderr();
  Warn("cannot list files", {{"path", "/a b"}, {"attempts", "3"}});
  EXPECT_THAT(GetCapturedStderr(),
              EndsWith("Z warn  storage: cannot list files path=\"/a b\" attempts=\"3\"\n"));
}

TEST_F(LogTest, LetsNoValueForgeALineOrSpeakToATerminal) {
  Configure("storage", Level::kInfo, false);
  CaptureStderr();
  Info("read", {{"name", "a\nb\"c\\\x1b[31m\x7f\xc2\x9bü"}});
  EXPECT_THAT(GetCapturedStderr(), EndsWith(R"(name="a\nb\"c\\\x1b[31m\x7f\xc2\x9bü")"
                                            "\n"));
}

TEST_F(LogTest, WritesOneJsonObjectWhateverTheBytes) {
  Configure("storage", Level::kInfo, true);
  CaptureStderr();
  Error("read", {{"name", "a\n\"\xff"}});
  const std::string line = GetCapturedStderr();
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const auto object = nlohmann::json::parse(line, nullptr, false);
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object.value("level", ""), "error");
  EXPECT_EQ(object.value("service", ""), "storage");
  EXPECT_EQ(object.value("message", ""), "read");
  EXPECT_THAT(object.value("name", ""), HasSubstr("a\n\""));
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
  Configure("storage", Level::kWarn, false);
  CaptureStderr();
  Debug("a");
  Info("b");
  Warn("c");
  EXPECT_THAT(GetCapturedStderr(), EndsWith("storage: c\n"));
}

}  // namespace
}  // namespace tidemill::log
