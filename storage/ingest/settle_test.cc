// Syncs of files that still change.
#include <fcntl.h>
#include <sys/stat.h>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/ingest/settle_wait.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr Duration kSecond{1'000'000};

class SettleTest : public testing::IngestTest {
 protected:
  // Writes a file that was modified at that time before now.
  void WriteModified(const std::string& name, int64_t millis_ago) {
    const std::string path = data_.Write(name, "t,y\n" + std::to_string(++time_) + ",1\n");
    const int64_t at = Now().micros - 1000 * millis_ago;
    const timespec time{.tv_sec = at / 1'000'000, .tv_nsec = at % 1'000'000 * 1000};
    const timespec times[2] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  absl::Status SyncOf(DatasetId id, const SyncWait& how = {}) {
    const auto take = [&](const SyncProgress& progress) {
      if (progress.num_awaited > 0) ++num_waits_;
      last_ = progress;
    };
    return stack_->ingestor().Sync(id, /*wait=*/true, take, how).status();
  }

  SyncProgress last_;
  int num_waits_ = 0;

 private:
  int time_ = 0;
};

// Each settles at another time: more of them than a sync could wait for one after another.
TEST_F(SettleTest, ASyncWaitsForEveryFileThatItFindsAtItsBegin) {
  for (int i = 0; i < 12; ++i) WriteModified(fmt::format("{:02}.csv", i), 2990 - 250 * i);
  const DatasetId id = Register(SpecText("settle: 3s\n"));
  ASSERT_THAT(SyncOf(id), IsOk());
  EXPECT_THAT(Samples(), SizeIs(12));
  EXPECT_EQ(last_.num_not_taken, 0);
  EXPECT_EQ(last_.num_awaited, 0);
  EXPECT_EQ(last_.num_files_done, 12);
  EXPECT_EQ(Samples().front().place, "00.csv:0") << "the keys are in the order of the paths";
}

TEST_F(SettleTest, ASyncNamesWhatHasNotSettledWithinItsLimit) {
  WriteModified("a.csv", 10'000);
  WriteModified("b.csv", 0);
  WriteModified("c.csv", 500);
  const DatasetId id = Register(SpecText("settle: 1h\nsettle_limit: 10s\n"));
  ASSERT_THAT(SyncOf(id), IsOk());
  EXPECT_THAT(Samples(), IsEmpty()) << "nothing is an hour old";
  EXPECT_EQ(num_waits_, 0) << "no wait would have been long enough";
  EXPECT_EQ(last_.num_not_taken, 3);
  ASSERT_THAT(last_.not_taken, SizeIs(3));
  EXPECT_EQ(last_.not_taken[1].path, "b.csv");
  EXPECT_EQ(last_.not_taken[1].reason,
            "it changed less than 1h (`settle`) ago, and had not settled within 10s "
            "(`settle_limit`)");
}

TEST_F(SettleTest, ACallerMayWaitShorter) {
  WriteModified("a.csv", 0);
  const DatasetId id = Register(SpecText("settle: 10m\nsettle_limit: 1h\n"));
  ASSERT_THAT(SyncOf(id, {.limit = Duration{0}}), IsOk());
  EXPECT_EQ(last_.num_not_taken, 1);
}

TEST_F(SettleTest, AWaitEndsWhenNobodyWaitsAnyMore) {
  WriteModified("a.csv", 0);
  const DatasetId id = Register(SpecText("settle: 10m\nsettle_limit: 1h\n"));
  EXPECT_THAT(SyncOf(id, {.is_abandoned = [] { return true; }}),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("has left")));
}

// The watcher's, which would take some of the files now and the others later.
TEST_F(SettleTest, ASyncThatDoesNotWaitLeavesTheFilesToOneThatWaits) {
  WriteModified("a.csv", 600'000);
  WriteModified("b.csv", 0);
  const DatasetId id = Register(SpecText("settle: 300ms\n"));
  int64_t taken_meanwhile = 0;
  const auto look = [&](const SyncProgress& progress) {
    if (progress.num_awaited == 0) return;
    const auto snapshot = stack_->ingestor().Sync(id, /*wait=*/false, {});
    ASSERT_THAT(snapshot, IsOk());
    taken_meanwhile = stack_->catalog().Count(id)->num_samples;
  };
  ASSERT_THAT(stack_->ingestor().Sync(id, /*wait=*/true, look), IsOk());
  EXPECT_EQ(taken_meanwhile, 0);
  EXPECT_THAT(Samples(), SizeIs(2));
}

TEST(SettleWait, WaitsOnlyForTheFilesOfTheFirstListing) {
  DatasetSpec spec;
  spec.path = "/d";
  FileListing listing;
  listing.files = {{.path = "a", .identity = {}}, {.path = "b", .identity = {}}};
  const SettleWait::Clock::time_point begin;
  SettleWait wait(kSecond, begin);
  wait.Begin(spec, listing);
  listing.files.push_back({.path = "c", .identity = {}});
  wait.Begin(spec, listing);
  FileScan scan;
  const Timestamp now{7'000'000};
  scan.unsettled = {{"/d/a", {7'300'000}}, {"/d/b", {9'000'000}}, {"/d/c", {7'900'000}}};
  const auto awaited = wait.Awaited(scan);
  EXPECT_THAT(awaited, ElementsAre(Field(&UnsettledFile::path, "/d/a"),
                                   Field(&UnsettledFile::path, "/d/b")));
  EXPECT_THAT(wait.Pause(awaited, now, begin), Optional(Duration{300'000}))
      << "the other one settles after the limit";
  EXPECT_EQ(wait.Pause(awaited, now, begin + std::chrono::milliseconds(800)), std::nullopt);
  EXPECT_EQ(wait.Pause({}, now, begin), std::nullopt);
  // One changed while it was read, the other has not settled: they alone are looked at again.
  EXPECT_THAT(wait.Continue({"/d/a"}, {UnsettledFile{"/d/b", {9'000'000}}}, {0}, begin),
              Optional(Duration{100'000}));
  EXPECT_THAT(wait.Awaited(scan), SizeIs(2));
  EXPECT_EQ(wait.Continue({}, {}, {0}, begin), std::nullopt);
  EXPECT_THAT(wait.Awaited(scan), IsEmpty());
}

}  // namespace
}  // namespace tidemill::storage
