#include "db/migrations.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "base/testing/status_matchers.h"
#include "db/fencing.h"
#include "db/testing/postgres.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::db {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

constexpr Migration kFirst = {1, "0001_first", "CREATE TABLE mill.first (n int)"};
constexpr Migration kSecond = {2, "0002_second", "INSERT INTO mill.first VALUES (7)"};
constexpr std::array kBoth = {kFirst, kSecond};

class MigrationsTest : public ::testing::Test {
 protected:
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body) {
    return database_->Transact(body);
  }

  int Count(const std::string& table) {
    int count = -1;
    EXPECT_THAT(Transact([&](pqxx::work& work) {
                  count = work.exec1("SELECT count(*) FROM " + table)[0].as<int>();
                  return absl::OkStatus();
                }),
                IsOk());
    return count;
  }

  testing::TestDatabase postgres_;
  std::unique_ptr<Database> database_ = *Database::Connect(postgres_.connection_string());
};

TEST_F(MigrationsTest, AppliesOnlyWhatIsMissing) {
  ASSERT_THAT(Migrate(*database_, "mill", std::array{kFirst}), IsOk());
  ASSERT_THAT(Migrate(*database_, "mill", kBoth), IsOk());
  ASSERT_THAT(Migrate(*database_, "mill", kBoth), IsOk());
  EXPECT_EQ(Count("mill.first"), 1);
  EXPECT_EQ(Count("mill.schema_migrations"), 2);
}

TEST_F(MigrationsTest, KeepsNothingOfAMigrationThatFails) {
  constexpr Migration kBroken = {2, "0002_broken", "INSERT INTO mill.first VALUES (7); SELEC 1"};
  EXPECT_THAT(Migrate(*database_, "mill", std::array{kFirst, kBroken}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("cannot migrate schema mill")));
  EXPECT_EQ(Count("mill.first"), 0);
  EXPECT_EQ(Count("mill.schema_migrations"), 1);
}

TEST_F(MigrationsTest, RefusesAMigrationThatChangedSinceItWasApplied) {
  ASSERT_THAT(Migrate(*database_, "mill", kBoth), IsOk());
  constexpr Migration kChanged = {1, "0001_first", "CREATE TABLE mill.first (n bigint)"};
  EXPECT_THAT(Migrate(*database_, "mill", std::array{kChanged, kSecond}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("0001_first")));
}

TEST_F(MigrationsTest, RefusesADatabaseNewerThanTheProgram) {
  ASSERT_THAT(Migrate(*database_, "mill", kBoth), IsOk());
  EXPECT_THAT(Migrate(*database_, "mill", std::array{kFirst}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer")));
}

TEST_F(MigrationsTest, AppliesEachOnceWhenTwoProcessesStartTogether) {
  std::array<absl::Status, 2> statuses;
  {
    std::jthread other([&] { statuses[0] = Migrate(*database_, "mill", kBoth); });
    statuses[1] = Migrate(*database_, "mill", kBoth);
  }
  EXPECT_THAT(statuses[0], IsOk());
  EXPECT_THAT(statuses[1], IsOk());
  EXPECT_EQ(Count("mill.first"), 1);
}

class FencingTest : public MigrationsTest {
 protected:
  FencingTest() { EXPECT_THAT(Migrate(*database_, "mill", {}), IsOk()); }

  absl::Status Check(int64_t run, int64_t epoch) {
    rpc::v1::Command command;
    command.set_run_id(run);
    command.set_run_epoch(epoch);
    return Transact([&](pqxx::work& work) { return CheckFence(work, "mill", command); });
  }

  absl::StatusOr<std::optional<std::string>> Find(const std::string& request) {
    std::optional<std::string> answer;
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
      ASSIGN_OR_RETURN(answer, FindAnswer(work, "mill", request));
      return absl::OkStatus();
    }));
    return answer;
  }

  absl::Status Remember(const std::string& request, const std::string& answer) {
    return Transact(
        [&](pqxx::work& work) { return RememberAnswer(work, "mill", request, answer); });
  }
};

TEST_F(FencingTest, RefusesTheEpochsBelowTheHighestOfARun) {
  EXPECT_THAT(Check(1, 3), IsOk());
  EXPECT_THAT(Check(1, 3), IsOk());
  EXPECT_THAT(Check(1, 2), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("epoch 3")));
  EXPECT_THAT(Check(1, 5), IsOk());
  EXPECT_THAT(Check(1, 4), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("epoch 5")));
  EXPECT_THAT(Check(2, 1), IsOk());
}

TEST_F(FencingTest, AdmitsCommandsOnBehalfOfNoRun) {
  EXPECT_THAT(Check(0, 0), IsOk());
  EXPECT_EQ(Count("mill.fences"), 0);
}

TEST_F(FencingTest, ForgetsAnswersOfAMonthAgo) {
  const auto remember = [&](const std::string& request) {
    return database_->Transact(
        [&](pqxx::work& work) { return RememberAnswer(work, "mill", request, "done"); });
  };
  ASSERT_THAT(remember("old"), IsOk());
  ASSERT_THAT(remember("newer"), IsOk());
  int64_t left = 0;
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    work.exec(
        "UPDATE mill.requests SET answered_at = now() - interval '31 days' "
        "WHERE request_id = 'old'");
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(remember("newest"), IsOk());
  ASSERT_THAT(database_->Transact([&](pqxx::work& work) {
    left = work.exec("SELECT count(*) FROM mill.requests")[0][0].as<int64_t>();
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(left, 2);
}

TEST_F(FencingTest, GivesARepeatedRequestTheFirstAnswer) {
  const std::string answer("a\0b\xFF", 4);
  EXPECT_THAT(Find("r1"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(Remember("r1", answer), IsOk());
  EXPECT_THAT(Find("r1"), IsOkAndHolds(answer));
  EXPECT_THAT(Remember("r1", "other"), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("r1")));
  EXPECT_THAT(Find(""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request id")));
}

TEST_F(FencingTest, DoesTheWorkOfTwoEqualRequestsAtOnceOnlyOnce) {
  std::atomic<int> worked = 0;
  const auto serve = [&] {
    return Transact([&](pqxx::work& work) -> absl::Status {
      ASSIGN_OR_RETURN(const auto known, FindAnswer(work, "mill", "r1"));
      if (known) return absl::OkStatus();
      ++worked;
      return RememberAnswer(work, "mill", "r1", "done");
    });
  };
  absl::Status first;
  {
    std::jthread other([&] { first = serve(); });
    EXPECT_THAT(serve(), IsOk());
  }
  EXPECT_THAT(first, IsOk());
  EXPECT_EQ(worked, 1);
}

}  // namespace
}  // namespace tidemill::db
