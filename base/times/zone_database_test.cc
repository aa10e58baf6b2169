#include "base/times/zone_database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/testing/status_matchers.h"
#include "base/times/time_zone.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;
using testing::kInvalid;
using testing::StatusIs;

TEST(ZoneDatabase, HasZonesByName) {
  for (const char* const name : {"UTC", "GMT0", "Etc/GMT+8", "Etc/GMT-14", "Europe/Zurich",
                                 "America/Port-au-Prince", "America/Argentina/ComodRivadavia"}) {
    EXPECT_TRUE(LoadZone(name).ok()) << name;
  }
}

// abseil itself opens all of these as files; to open a pipe waits for a writer.
TEST(ZoneDatabase, OpensNoPaths) {
  const std::string folder = ::testing::TempDir() + "/zones";
  std::filesystem::create_directories(folder);
  const std::string pipe = folder + "/pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name :
       {pipe, "file:" + pipe, "../../.." + pipe, "Europe/../../../.." + pipe,
        std::string("/usr/share/zoneinfo/Europe/Zurich"),
        std::string("file:/usr/share/zoneinfo/Europe/Zurich"), std::string("../zoneinfo/UTC"),
        std::string("Europe/./Zurich"), std::string("/etc/localtime"), std::string("/dev/zero"),
        std::string("Europe/Zurich\0x", 15), std::string(5000, 'A'), std::string()}) {
    EXPECT_THAT(LoadZone(name), StatusIs(kInvalid, HasSubstr("is unknown"))) << name;
    EXPECT_THAT(TimeZone::Create(name), StatusIs(kInvalid, HasSubstr("is unknown"))) << name;
  }
}

TEST(ZoneDatabase, HasOnlyZones) {
  for (const char* const name : {"Mars", "Europe", "zone.tab", "zone1970.tab", "posixrules/"}) {
    EXPECT_THAT(LoadZone(name), StatusIs(kInvalid, HasSubstr("is unknown"))) << name;
  }
}

}  // namespace
}  // namespace tidemill
