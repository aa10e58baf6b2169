#include "db/database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

#include "base/disk_full.h"
#include "base/testing/status_matchers.h"
#include "db/sql_status.h"
#include "db/testing/postgres.h"

namespace tidemill::db {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest() {
    EXPECT_THAT(Run("CREATE TABLE parents (id int PRIMARY KEY);"
                    "CREATE TABLE numbers (n int PRIMARY KEY REFERENCES parents);"
                    "INSERT INTO parents VALUES (1), (2)"),
                IsOk());
  }

  absl::Status Run(const std::string& sql) {
    return database_->Transact([&](pqxx::work& work) {
      work.exec(sql);
      return absl::OkStatus();
    });
  }

  int CountNumbers() {
    int count = -1;
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      count = work.exec1("SELECT count(*) FROM numbers")[0].as<int>();
      return absl::OkStatus();
    }),
                IsOk());
    return count;
  }

  testing::TestDatabase postgres_;
  std::unique_ptr<Database> database_ = *Database::Connect(postgres_.connection_string());
};

TEST_F(DatabaseTest, CommitsWhatABodyDidThatReturnsOk) {
  EXPECT_THAT(Run("INSERT INTO numbers VALUES (1)"), IsOk());
  EXPECT_EQ(CountNumbers(), 1);
}

TEST_F(DatabaseTest, RollsBackWhatABodyDidThatFails) {
  const absl::Status status = database_->Transact([](pqxx::work& work) -> absl::Status {
    work.exec("INSERT INTO numbers VALUES (1)");
    return NotFound("no sample 7");
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound, "no sample 7"));
  EXPECT_EQ(CountNumbers(), 0);
}

TEST_F(DatabaseTest, TellsCallersTheKindOfAnSqlErrorAndItsLogTheRest) {
  struct Case {
    const char* sql;
    absl::StatusCode code;
    const char* told;
    const char* logged;
  };
  const Case cases[] = {
      {"INSERT INTO parents VALUES (1)", absl::StatusCode::kAlreadyExists, "already has it",
       "parents_pkey"},
      {"INSERT INTO numbers VALUES (99)", absl::StatusCode::kFailedPrecondition, "belongs to",
       "foreign key"},
      {"SELEC 1", absl::StatusCode::kInternal, "could not do this", "syntax error"},
      {"SELECT 1 LIMIT -1", absl::StatusCode::kInternal, "could not do this",
       "LIMIT must not be negative"},
  };
  for (const Case& tried : cases) {
    ::testing::internal::CaptureStderr();
    const absl::Status status = Run(tried.sql);
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(status, StatusIs(tried.code, HasSubstr(tried.told)));
    const std::string message(status.message());
    EXPECT_THAT(message, Not(HasSubstr(tried.logged)));
    EXPECT_THAT(log, HasSubstr(tried.logged));
    // The number in the message leads to the line in the log.
    const size_t number = message.find("(see ") + 5;
    EXPECT_THAT(log, HasSubstr(message.substr(number, 8)));
  }
  EXPECT_THAT(Run("INSERT INTO numbers VALUES (1)"), IsOk());
}

TEST_F(DatabaseTest, RunsABodyAgainWhenItsConnectionWasLost) {
  int runs = 0;
  const absl::Status status = database_->Transact([&](pqxx::work& work) {
    if (++runs == 1) postgres_.EndSessions();
    work.exec("INSERT INTO numbers VALUES (1)");
    return absl::OkStatus();
  });
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(CountNumbers(), 1);
}

TEST_F(DatabaseTest, DoesNotRepeatACommitOfUnknownOutcome) {
  int runs = 0;
  const absl::Status status = database_->Transact([&](pqxx::work& work) {
    ++runs;
    work.exec("INSERT INTO numbers VALUES (1)");
    postgres_.EndSessions();
    return absl::OkStatus();
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("")));
  EXPECT_EQ(runs, 1);
}

TEST_F(DatabaseTest, RunsABodyAgainThatMetAConflict) {
  for (const char* const code : {"serialization_failure", "deadlock_detected"}) {
    int runs = 0;
    EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
      if (++runs == 1) {
        work.exec(std::string("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '") + code +
                  "'; END $$");
      }
      return absl::OkStatus();
    }),
                IsOk());
    EXPECT_EQ(runs, 2) << code;
  }
}

TEST_F(DatabaseTest, RunsAgainWhatLosesASerialisationConflict) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 3;
  ASSERT_THAT(Run("CREATE TABLE total (n int); INSERT INTO total VALUES (0)"), IsOk());
  std::vector<std::jthread> threads;
  std::atomic<int> added = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const absl::Status status = database_->Transact([](pqxx::work& work) {
          work.exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
          const int n = work.exec1("SELECT n FROM total")[0].as<int>();
          work.exec_params("UPDATE total SET n = $1", n + 1);
          return absl::OkStatus();
        });
        if (status.ok()) ++added;
      }
    });
  }
  threads.clear();
  int total = 0;
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    total = work.exec1("SELECT n FROM total")[0].as<int>();
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(total, added);
  EXPECT_GT(total, 0);
}

TEST_F(DatabaseTest, ContinuesWhenASessionOfItIsKilled) {
  bool is_killed = false;
  EXPECT_THAT(database_->Transact([&](pqxx::work& work) {
    const int session = work.exec1("SELECT pg_backend_pid()")[0].as<int>();
    if (!std::exchange(is_killed, true)) {
      EXPECT_EQ(::kill(session, SIGKILL), 0);
    }
    work.exec("SELECT pg_sleep(0.1)");
    return absl::OkStatus();
  }),
              IsOk());
}

TEST(Database, TellsAFullDiskFromOtherFailures) {
  const absl::Status full = FromSqlState("53100", "could not extend file: No space left on device");
  EXPECT_TRUE(IsDiskFull(full)) << full;
  EXPECT_TRUE(IsDiskFull(Concealed(full))) << Concealed(full);
  EXPECT_THAT(FromSqlState("53300", "too many clients"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("clients")));
  EXPECT_THAT(FromSqlState("53200", "out of memory"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("memory")));
}

TEST(Database, SaysThatThereIsNoServer) {
  EXPECT_THAT(Database::Connect("host=/nonexistent dbname=x", std::chrono::milliseconds{0}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("/nonexistent")));
}

}  // namespace
}  // namespace tidemill::db
