// Registering and deleting datasets, and watching them, on a real PostgreSQL.
#include "storage/catalog/dataset_catalog.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "gmock/gmock.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/paths/testing/exchanger.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "storage/index/sample_index.h"
#include "storage/ingest/ingestor.h"
#include "storage/ingest/watcher.h"
#include "storage/migrations.h"
#include "storage/segments/segment_columns.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::AllOf;
using testing::DataFolder;
using ::testing::ElementsAre;
using testing::Found;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;
using testing::Stack;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

TEST_F(IngestTest, RegisteringIsIdempotentAndANameKeepsItsSpec) {
  const DatasetId id = Register(SpecText());
  const auto again = stack_->catalog().Register("default", "d", SpecText(), {});
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->id, id);
  EXPECT_FALSE(again->created);
  data_.Write("a.csv", "t,y\n1,1\n");
  Sync(id);
  EXPECT_THAT(stack_->catalog().Register("", "d", SpecText(), {}), IsOk());
  EXPECT_THAT(stack_->catalog().Register("", "d", SpecText("append: true\n"), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("append is now true and was false"),
                             HasSubstr("--replace-dataset"))));
}

TEST_F(IngestTest, AHeaderThatNoSpecCanHoldCondemnsItsFileAndNotTheDataset) {
  std::string wide = "t,y";
  for (int i = 0; i < 50'000; ++i) wide += ",c" + std::to_string(i);
  data_.Write("a.csv", wide + "\n");
  data_.Write("b.csv", "t,y,gr\xfcn\n1,1,2\n");
  data_.Write("c.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "c.csv:0", "1,1", 1}));
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_THAT((*entries)[0].reason, HasSubstr("50002 columns"));
  EXPECT_THAT((*entries)[1].reason, HasSubstr("not UTF-8"));
  EXPECT_THAT(*stack_->catalog().List(std::nullopt), SizeIs(1));
}

TEST_F(IngestTest, AFileWhosePathCannotBeKeptIsListedInTheQuarantine) {
  data_.Write("a.csv", "t,y\n1,1\n");
  data_.Write("\xff\x1b.csv", "t,y\n2,1\n");
  const DatasetId id = Register(SpecText());
  for (int i = 0; i < 3; ++i) {
    // Found repeatedly, also by a process that knows nothing of it, it is reported once.
    if (i == 2) Restart(2);
    Sync(id);
    EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:0", "1,1", 1}));
    const auto entries = stack_->catalog().ListQuarantine(id, 0);
    ASSERT_THAT(entries, IsOk());
    ASSERT_THAT(*entries, SizeIs(1));
    EXPECT_THAT(entries->front().path, HasSubstr("/\\xff\\x1b.csv"));
    EXPECT_THAT(entries->front().reason, HasSubstr("not UTF-8"));
  }
  std::filesystem::rename(data_.path() + "/\xff\x1b.csv", data_.path() + "/b.csv");
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(2));
  EXPECT_THAT(*stack_->catalog().ListQuarantine(id, 0), SizeIs(0));
}

TEST_F(IngestTest, NoNameIsRegisteredOrFoundThatIsNone) {
  const DatasetId id = Register(SpecText());
  for (const std::string& bad : {std::string("d\0x", 3), std::string("../d"), std::string("a\nb"),
                                 std::string("\x1b[2J"), std::string(11'000, 'x'), std::string()}) {
    const auto refused =
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot name a dataset"));
    EXPECT_THAT(stack_->catalog().Register("", bad, SpecText(), {}), refused);
    EXPECT_THAT(stack_->catalog().Find("", bad), refused);
  }
  EXPECT_FALSE(stack_->catalog().Delete("", std::string("d\0x", 3), {}).ok());
  EXPECT_THAT(stack_->catalog().Find(id), IsOk());
  EXPECT_THAT(stack_->catalog().ListQuarantine(id, -1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
}

TEST_F(IngestTest, WhatAnOlderVersionHasNamedCanBeDeleted) {
  const DatasetId id = Register(SpecText());
  Query("UPDATE storage.datasets SET name = 'my data' WHERE name = 'd' RETURNING 1");
  EXPECT_THAT(stack_->catalog().FindId("", "my data"), IsOkAndHolds(Optional(id)));
  EXPECT_THAT(stack_->catalog().Delete("", "my data", {}), IsOkAndHolds(true));
}

TEST_F(IngestTest, ASpecThatIsLongerThanWhatIsReadBackIsNotRegistered) {
  const std::string spec = SpecText() + "\n# " + std::string(config::kMaxKeptBytes, 'x');
  EXPECT_THAT(stack_->catalog().Register("", "d", spec, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bytes")));
}

TEST_F(IngestTest, ADatasetWhoseSpecDoesNotParseIsLeftOutAndCanBeDeleted) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  ASSERT_THAT(stack_->catalog().Register("", "other", SpecText(), {}), IsOk());
  Query("UPDATE storage.datasets SET spec = 'path: [' WHERE name = 'd'");
  const auto listed = stack_->catalog().List(std::nullopt);
  ASSERT_THAT(listed, IsOk());
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_EQ(listed->front().name, "other");
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  EXPECT_FALSE(files::Exists(SegmentFolder(state_.path(), id)));
  EXPECT_THAT(Query("SELECT name FROM storage.datasets"), ElementsAre(ElementsAre("other")));
}

TEST_F(IngestTest, PathsOutsideTheAllowedFoldersAreRefusedHoweverWritten) {
  const auto refused = [&](const std::string& path) {
    return stack_->catalog().Register("", "x", "path: " + path + "\nformat: csv\n", {}).status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(refused(state_.path()), StatusIs(kInvalid, HasSubstr("allowed")));
  EXPECT_THAT(refused(data_.path() + "/.."), StatusIs(kInvalid, HasSubstr("allowed")));
  EXPECT_THAT(refused(data_.path() + "/none"), StatusIs(kInvalid, HasSubstr("not a folder")));
  EXPECT_THAT(refused("data"), StatusIs(kInvalid, HasSubstr("not absolute")));
  std::filesystem::create_symlink(state_.path(), data_.path() + "/link");
  EXPECT_THAT(refused(data_.path() + "/link"), StatusIs(kInvalid, HasSubstr("allowed")));
  // Nor does a link among the files lead out.
  state_.Write("secret.csv", "t,y\n1,1\n");
  std::filesystem::create_symlink(state_.path() + "/secret.csv", data_.path() + "/a.csv");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), IsEmpty());
}

TEST_F(IngestTest, AFolderThatBecomesALinkOutOfTheAllowedOnesIsNotFollowed) {
  state_.Write("secret/a.csv", "t,y\n1,1\n");
  data_.Write("below/a.csv", "t,y\n2,0\n");
  std::string spec = SpecText();
  const std::string path = "path: " + data_.path();
  spec.replace(spec.find(path), path.size(), path + "/below");
  const DatasetId id = Register(spec);
  std::filesystem::remove_all(data_.path() + "/below");
  std::filesystem::create_symlink(state_.path() + "/secret", data_.path() + "/below");
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("allowed")));
  EXPECT_THAT(Samples(), IsEmpty());
}

TEST_F(IngestTest, ExchangingFoldersAndLinksMeanwhileShowsAndIngestsNothingOutside) {
  state_.Write("secret/a.csv", "t,y\nhush,1\n");
  data_.Write("dir/a.csv", "t,y\n1,1\n");
  std::filesystem::create_symlink(state_.path() + "/secret", data_.path() + "/link");
  std::string spec = SpecText();
  const std::string path = "path: " + data_.path();
  spec.replace(spec.find(path), path.size(), path + "/dir");
  const DatasetId id = Register(spec);
  const tidemill::testing::Exchanger exchanger(data_.path() + "/dir", data_.path() + "/link");
  int num_shown = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto head = stack_->catalog().Peek(spec);
    EXPECT_THAT(head.ok() ? head->bytes : head.status().ToString(), Not(HasSubstr("hush")));
    num_shown += head.ok() ? 1 : 0;
    if (i % 20 == 0) stack_->ingestor().Sync(id, true, {}).IgnoreError();
  }
  EXPECT_GT(num_shown, 0);
  EXPECT_GT(exchanger.rounds(), 0);
  for (const auto& row : Query("SELECT reason FROM storage.quarantine")) {
    EXPECT_THAT(row.front(), Not(HasSubstr("hush")));
  }
  EXPECT_THAT(Query("SELECT 1 FROM storage.files WHERE size_bytes <> 8"), IsEmpty());
}

TEST_F(IngestTest, TheStateOfAStackIsNotData) {
  data_.Write("a.csv", "t,y\n1,1\n");
  data_.Write("state/identity", "0123456789abcdefghjkmnpqrs\n/var/lib/tidemill-postgres-x\n");
  data_.Write("state/b.csv", "t,y\nhush,1\n");
  const auto spec_of = [&](const std::string& files) {
    std::string spec = SpecText();
    return spec.replace(spec.find("*.csv"), 5, files);
  };
  for (const char* const files : {"state/identity", "state/*"}) {
    EXPECT_THAT(stack_->catalog().Peek(spec_of(files)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds a stack's state")));
  }
  const DatasetId id = Register(spec_of("**.csv"));
  SyncProgress last;
  ASSERT_THAT(
      stack_->ingestor().Sync(id, true, [&](const SyncProgress& progress) { last = progress; }),
      IsOk());
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:0", "1,1", 1}));
  EXPECT_EQ(last.num_passed_over, 1);
  EXPECT_THAT(last.first_passed_over, HasSubstr("state: a folder that holds a stack's state"));
}

TEST_F(IngestTest, PeekingShowsTheBeginningOfTheFirstFileBelowTheAllowedFolders) {
  data_.Write("b.csv", "t,y\n2,0\n");
  data_.Write("a.csv", "t,y\n" + std::string(100'000, 'x'));
  const auto head = stack_->catalog().Peek(SpecText());
  ASSERT_THAT(head, IsOk());
  EXPECT_EQ(head->first_file, "a.csv");
  EXPECT_EQ(head->bytes, "t,y\n" + std::string(65'532, 'x'));
  const auto refused = [&](const std::string& path) {
    return stack_->catalog().Peek("path: " + path + "\nformat: csv\n").status();
  };
  EXPECT_THAT(refused(state_.path()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("allowed")));
  EXPECT_THAT(refused(data_.path() + "/none"), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(IngestTest, DeletingADatasetLeavesTheFilesAndNothingElse) {
  const std::string file = data_.Write("a.csv", "t,y\n1,1\nx,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(false));
  EXPECT_TRUE(files::Exists(file));
  EXPECT_FALSE(files::Exists(SegmentFolder(state_.path(), id)));
  for (const char* const table :
       {"datasets", "files", "segments", "samples", "quarantine", "tombstones", "watermarks"}) {
    EXPECT_THAT(Query(std::string("SELECT 1 FROM storage.") + table), IsEmpty()) << table;
  }
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  // Keys are never used again.
  const DatasetId next = Register(SpecText());
  EXPECT_EQ(Sync(next).committed_key >> kSlotShift, stack_->catalog().Find(next)->slot);
  EXPECT_EQ(stack_->catalog().Find(next)->slot, 2);
}

TEST_F(IngestTest, TheWatcherTakesInWhatArrives) {
  const DatasetId id = Register(SpecText());
  const Watcher watcher(stack_->catalog(), stack_->ingestor(),
                        {.scan_interval = std::chrono::milliseconds{50}});
  const auto await = [&](int64_t num_samples) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < deadline) {
      if (stack_->catalog().Count(id)->num_samples == num_samples) return true;
      std::this_thread::yield();
    }
    return false;
  };
  data_.Write("a.csv", "t,y\n1,1\n");
  EXPECT_TRUE(await(1));
  data_.Write("b.csv", "t,y\n1,1\n2,0\n");
  EXPECT_TRUE(await(3));
}

TEST_F(IngestTest, ProgressEndsWithAllFilesDone) {
  for (int i = 0; i < 5; ++i) data_.Write(std::to_string(i) + ".csv", "t,y\n1,1\nx,1\n2,1\n");
  Restart(2, {.intake = {.files_per_batch = 2}});
  const DatasetId id = Register(SpecText());
  std::vector<SyncProgress> reports;
  ASSERT_THAT(
      stack_->ingestor().Sync(id, true, [&](const SyncProgress& p) { reports.push_back(p); }),
      IsOk());
  ASSERT_GE(reports.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(reports, {}, &SyncProgress::num_files_done));
  EXPECT_EQ(reports.front().num_files_done, 0);
  EXPECT_EQ(reports.back().num_files_done, 5);
  EXPECT_EQ(reports.back().num_files_found, 5);
  EXPECT_EQ(reports.back().num_samples, 10);
  EXPECT_EQ(reports.back().num_quarantined, 5);
}

}  // namespace
}  // namespace tidemill::storage
