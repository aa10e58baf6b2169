#include "db/private_postgres.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/testing/status_matchers.h"
#include "db/copy.h"
#include "db/postgres_programs.h"

namespace tidemill::db {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class PrivatePostgresTest : public ::testing::Test {
 protected:
  PrivatePostgresTest() {
    char folder[] = "/tmp/tidemill-own-XXXXXX";
    root_ = ::mkdtemp(folder);
    ::chmod(folder, 0711);
  }

  ~PrivatePostgresTest() override {
    if (std::filesystem::exists(root_ + "/cluster/data")) {
      if (const auto server = Start(); server.ok()) (*server)->Stop().IgnoreError();
    }
    std::filesystem::remove_all(root_);
  }

  absl::StatusOr<std::unique_ptr<PrivatePostgres>> Start(bool durable = false) {
    return PrivatePostgres::Start(root_ + "/cluster", root_ + "/s", {.durable = durable});
  }

  // Runs a statement and commits.
  static absl::Status Execute(const PrivatePostgres& server, const std::string& sql) {
    ASSIGN_OR_RETURN(const auto session, CopyWriter::Begin(server.ConnectionString()));
    RETURN_IF_ERROR(session->Execute(sql));
    return session->Commit();
  }

  std::string root_;
};

TEST_F(PrivatePostgresTest, KeepsItsRowsAndItsProcessFromStartToStart) {
  const auto first = Start();
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(Execute(**first, "CREATE TABLE kept (n int)"), IsOk());

  const auto again = Start();
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ((*again)->process(), (*first)->process());

  ASSERT_THAT((*again)->Stop(), IsOk());
  EXPECT_FALSE(IsAlive((*first)->process()));
  const auto restarted = Start();
  ASSERT_THAT(restarted, IsOk());
  EXPECT_THAT(Execute(**restarted, "INSERT INTO kept VALUES (1)"), IsOk());
}

TEST_F(PrivatePostgresTest, RecoversFromAServerThatWasKilledWithAnOpenSession) {
  const auto first = Start(/*durable=*/true);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(Execute(**first, "CREATE TABLE kept (n int)"), IsOk());
  const auto session = CopyWriter::Begin((*first)->ConnectionString());
  ASSERT_THAT(session, IsOk());

  ASSERT_EQ(::kill((*first)->process(), SIGKILL), 0);
  const auto second = Start();
  ASSERT_THAT(second, IsOk());
  EXPECT_NE((*second)->process(), (*first)->process());
  EXPECT_THAT(Execute(**second, "INSERT INTO kept VALUES (1)"), IsOk());
}

TEST_F(PrivatePostgresTest, LetsNobodyElseIn) {
  ASSERT_THAT(Start(), IsOk());
  for (const char* const folder : {"/cluster", "/s", "/cluster/data"}) {
    struct stat info = {};
    ASSERT_EQ(::stat((root_ + folder).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700) << folder;
  }
}

TEST_F(PrivatePostgresTest, NamesTheFolderThatKeepsItsUserOut) {
  ::chmod(root_.c_str(), 0700);
  const auto account = PostgresAccount();
  ASSERT_THAT(account, IsOk());
  if (account->change) {
    EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(root_)));
  } else {
    EXPECT_THAT(Start(), IsOk());
  }
}

TEST_F(PrivatePostgresTest, RefusesASocketFolderThatIsTooLong) {
  EXPECT_THAT(PrivatePostgres::Start(root_ + "/cluster", root_ + "/" + std::string(90, 's')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("socket folder")));
}

}  // namespace
}  // namespace tidemill::db
