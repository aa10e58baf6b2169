#include "db/private_postgres.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/testing/status_matchers.h"
#include "db/copy.h"
#include "db/database.h"
#include "db/postgres_programs.h"
#include "db/server_facts.h"

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

TEST_F(PrivatePostgresTest, ThatIsACopyOfATemplateIsAClusterOfItsOwn) {
  const std::string templates = root_ + "/templates";
  const auto start = [&](const std::string& name) {
    return PrivatePostgres::Start(root_ + "/" + name, root_ + "/s-" + name,
                                  {.durable = false, .templates = templates});
  };
  // Two at once make one template.
  std::vector<std::jthread> starters;
  for (const char* const name : {"a", "b"}) {
    starters.emplace_back([&, name] { EXPECT_THAT(start(name), IsOk()); });
  }
  starters.clear();
  const auto count = std::distance(std::filesystem::directory_iterator(templates),
                                   std::filesystem::directory_iterator());
  EXPECT_EQ(count, 1);
  const auto first = start("a");
  const auto second = start("b");
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  EXPECT_NE((*first)->process(), (*second)->process());
  EXPECT_THAT(Execute(**first, "CREATE TABLE kept (n int)"), IsOk());
  EXPECT_THAT(Execute(**second, "SELECT * FROM kept"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("")));
  const auto database = Database::Connect((*second)->ConnectionString());
  ASSERT_THAT(database, IsOk());
  EXPECT_TRUE(ReadServerFacts(**database)->has_checksums);
  EXPECT_THAT((*first)->Stop(), IsOk());
  EXPECT_THAT((*second)->Stop(), IsOk());
}

TEST_F(PrivatePostgresTest, NoticesPagesThatAreNotAsTheyWereWritten) {
  const auto server = Start();
  ASSERT_THAT(server, IsOk());
  const auto database = Database::Connect((*server)->ConnectionString());
  ASSERT_THAT(database, IsOk());
  const auto facts = ReadServerFacts(**database);
  ASSERT_THAT(facts, IsOk());
  EXPECT_TRUE(facts->has_checksums);
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
  const auto account = PostgresAccount(root_ + "/cluster");
  ASSERT_THAT(account, IsOk());
  if (account->change) {
    EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(root_)));
  } else {
    EXPECT_THAT(Start(), IsOk());
  }
}

TEST_F(PrivatePostgresTest, FollowsNoLinkAndTakesOverNoFolder) {
  const auto account = PostgresAccount(root_ + "/cluster");
  ASSERT_THAT(account, IsOk());
  const std::string precious = root_ + "/precious";
  std::filesystem::create_directory(precious);
  ASSERT_EQ(::chmod(precious.c_str(), 0755), 0);
  struct stat before = {};
  ASSERT_EQ(::stat(precious.c_str(), &before), 0);
  const auto expect_refused = [&](const std::string& path) {
    EXPECT_THAT(CreateFolderFor(*account, path),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(path)));
    struct stat after = {};
    ASSERT_EQ(::stat(precious.c_str(), &after), 0);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_gid, before.st_gid);
    EXPECT_EQ(after.st_mode, before.st_mode);
  };
  // What another user can put into the temporary folder before the server's own is made.
  std::filesystem::create_symlink(precious, root_ + "/s");
  expect_refused(root_ + "/s");
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(root_ + "/s")));
  std::filesystem::remove(root_ + "/s");
  std::filesystem::create_symlink(root_ + "/nowhere", root_ + "/s");
  expect_refused(root_ + "/s");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/nowhere"));
  std::filesystem::remove(root_ + "/s");
  ASSERT_EQ(::mknod((root_ + "/s").c_str(), S_IFREG | 0600, 0), 0);
  expect_refused(root_ + "/s");
  if (::geteuid() != 0) return;  // Only root can make folders of others.
  constexpr uid_t kSomebody = 12'345;
  ASSERT_EQ(::chown(precious.c_str(), kSomebody, kSomebody), 0);
  before.st_uid = kSomebody;
  before.st_gid = kSomebody;
  expect_refused(precious);
}

TEST_F(PrivatePostgresTest, EndsWithItsStarterEvenByKill) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    const auto server = PrivatePostgres::Start(root_ + "/cluster", root_ + "/s",
                                               {.durable = false, .ends_with_caller = true});
    const pid_t process = server.ok() ? (*server)->process() : 0;
    if (::write(ends[1], &process, sizeof(process)) != sizeof(process)) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  pid_t process = 0;
  ASSERT_EQ(::read(ends[0], &process, sizeof(process)), sizeof(process));
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_GT(process, 0);
  EXPECT_TRUE(IsAlive(process));
  ASSERT_EQ(::kill(starter, SIGKILL), 0);
  ASSERT_EQ(::waitpid(starter, nullptr, 0), starter);
  // A server that lives on is waited for until the test's own time is over.
  while (IsAlive(process)) ::sched_yield();
}

TEST_F(PrivatePostgresTest, ReplacesAServerThatNobodyWatches) {
  const auto left = Start();
  ASSERT_THAT(left, IsOk());
  const auto own = PrivatePostgres::Start(root_ + "/cluster", root_ + "/s",
                                          {.durable = false, .ends_with_caller = true});
  ASSERT_THAT(own, IsOk());
  EXPECT_NE((*own)->process(), (*left)->process());
  EXPECT_FALSE(IsAlive((*left)->process()));
  EXPECT_THAT(Execute(**own, "CREATE TABLE kept (n int)"), IsOk());
  ASSERT_THAT((*own)->Stop(), IsOk());
  EXPECT_EQ(::waitpid((*own)->process(), nullptr, 0), (*own)->process());
}

TEST_F(PrivatePostgresTest, RefusesASocketFolderThatIsTooLong) {
  EXPECT_THAT(PrivatePostgres::Start(root_ + "/cluster", root_ + "/" + std::string(90, 's')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("socket folder")));
}

}  // namespace
}  // namespace tidemill::db
