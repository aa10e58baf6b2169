#include "plugin/spec/host_settings.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/config.h"

namespace tidemill::plugin {
namespace {

using ::testing::HasSubstr;

class HostSettingsTest : public ::testing::Test {
 protected:
  HostSettingsTest() { Unset(); }
  ~HostSettingsTest() override { Unset(); }

  static void Unset() {
    unsetenv("TIDEMILL_PLUGIN_PYTHON");
    unsetenv("TIDEMILL_PLUGIN_SANDBOX");
    unsetenv("TIDEMILL_PLUGIN_MEMORY");
  }
};

TEST_F(HostSettingsTest, AreThoseOfTheEnvironmentWhereItSaysAny) {
  setenv("TIDEMILL_PLUGIN_SANDBOX", "none", 1);
  const HostSettings settings = HostSettings::OfThisProcess({.python = "/p", .sandbox = "bwrap"});
  EXPECT_EQ(settings.python, "/p");
  EXPECT_EQ(settings.sandbox, "none");
}

TEST_F(HostSettingsTest, ReachProcessesThatAreStartedLater) {
  HostSettings{.python = "/opt/python", .sandbox = "bwrap", .memory = {int64_t{3} << 30}}
      .PutIntoEnvironment();
  EXPECT_EQ(HostSettings::OfThisProcess().memory.bytes, int64_t{3} << 30);
  EXPECT_EQ(HostSettings::OfThisProcess().python, "/opt/python");
  EXPECT_EQ(HostSettings::OfThisProcess().sandbox, "bwrap");
}

TEST_F(HostSettingsTest, RefuseAnUnknownSandbox) {
  const auto settings = config::Read<HostSettings>("sandbox: docker\n", "tidemill.yaml");
  EXPECT_THAT(settings.status().message(),
              HasSubstr("'docker' is none of auto, bwrap, landlock and none"));
}

}  // namespace
}  // namespace tidemill::plugin
