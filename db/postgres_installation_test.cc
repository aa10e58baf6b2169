#include "db/postgres_installation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"

namespace tidemill::db {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class PostgresInstallation : public ::testing::Test {
 protected:
  PostgresInstallation() : folder_(::testing::TempDir() + "installation") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ::unsetenv(kPostgresVariable);
  }
  ~PostgresInstallation() override { ::unsetenv(kPostgresVariable); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    std::filesystem::permissions(folder_ + "/" + name, std::filesystem::perms::all);
  }

  // Programs that say this version, in the folder that the variable names.
  void NameProgramsOf(const std::string& version) const {
    Write("initdb", "#!/bin/sh\n");
    Write("postgres", "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n");
    ::setenv(kPostgresVariable, folder_.c_str(), 1);
  }

  const std::string folder_;
};

TEST_F(PostgresInstallation, IsDebiansWhereNoneIsNamed) {
  const auto programs = FindPostgresPrograms(0);
  ASSERT_THAT(programs, IsOk());
  EXPECT_TRUE(programs->starts_with("/usr/lib/postgresql/")) << *programs;
}

TEST_F(PostgresInstallation, ThatIsNamedMakesNewClustersAndServesItsOwn) {
  NameProgramsOf("99.1 (Debian 99.1-1)");
  EXPECT_THAT(FindPostgresPrograms(0), IsOkAndHolds(folder_));
  EXPECT_THAT(FindPostgresPrograms(99), IsOkAndHolds(folder_));
}

TEST_F(PostgresInstallation, IsOfTheVersionOfTheCluster) {
  const std::string debians = *FindPostgresPrograms(0);
  const int version = std::stoi(debians.substr(std::string("/usr/lib/postgresql/").size()));
  NameProgramsOf("99.1");
  EXPECT_THAT(FindPostgresPrograms(version), IsOkAndHolds(debians));
  EXPECT_THAT(FindPostgresPrograms(98),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("postgresql-98"), HasSubstr(kPostgresVariable))));
}

TEST_F(PostgresInstallation, IsRefusedWhereItIsOldOrIsNone) {
  NameProgramsOf("14.2");
  EXPECT_THAT(FindPostgresPrograms(0),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("older than 15")));
  NameProgramsOf("");
  EXPECT_THAT(FindPostgresPrograms(0),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(folder_)));
  std::filesystem::remove(folder_ + "/postgres");
  EXPECT_THAT(FindPostgresPrograms(0),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no initdb and postgres")));
}

TEST_F(PostgresInstallation, ReadsTheVersionOfACluster) {
  EXPECT_EQ(VersionOfCluster(folder_), 0);
  Write("PG_VERSION", "15\n");
  EXPECT_EQ(VersionOfCluster(folder_), 15);
}

}  // namespace
}  // namespace tidemill::db
