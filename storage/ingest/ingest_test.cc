// Registering, ingesting and deleting on a real PostgreSQL, compared by content.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>
#include <tuple>

#include "gmock/gmock.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/rebuild.h"
#include "storage/index/sample_index.h"
#include "storage/ingest/ingestor.h"
#include "storage/ingest/watcher.h"
#include "storage/migrations.h"
#include "storage/segments/segment_columns.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using ::testing::ElementsAre;
using testing::Found;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Stack;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

TEST_F(IngestTest, EndsWithItsBatchWhenSomebodyDeletesTheDataset) {
  Restart(2, {.intake = {.files_per_batch = 1}});
  for (int i = 0; i < 100; ++i) data_.Write(fmt::format("{}.csv", i), "t,y\n10,1\n");
  const DatasetId id = Register(SpecText());
  std::thread deleting;
  absl::StatusOr<bool> deleted = false;
  int num_reports = 0;
  const auto synced = stack_->ingestor().Sync(id, /*wait=*/false, [&](const SyncProgress&) {
    ++num_reports;
    if (deleting.joinable()) return;
    deleting = std::thread([&] { deleted = stack_->catalog().Delete("", "d", {}); });
    while (!stack_->catalog().IsLeaving(id)) std::this_thread::yield();
  });
  deleting.join();
  EXPECT_THAT(synced, StatusIs(absl::StatusCode::kCancelled, HasSubstr("is being deleted")));
  EXPECT_THAT(deleted, IsOkAndHolds(true));
  EXPECT_LT(num_reports, 10);
  EXPECT_THAT(stack_->catalog().Find(id),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
}

TEST_F(IngestTest, FilesBecomeSamplesInTheOrderOfTheirPaths) {
  data_.Write("b.csv", "t,y,x\n10,1,p\n20,0,q\n");
  data_.Write("a.csv", "t,y,x\n30,1,r\n");
  const DatasetId id = Register(SpecText());
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_THAT(Samples(),
              ElementsAre(Found{1, "a.csv:0", "30,1,r", 1}, Found{2, "b.csv:0", "10,1,p", 1},
                          Found{3, "b.csv:1", "20,0,q", 0}));
  EXPECT_EQ(snapshot.committed_key & ((int64_t{1} << kSlotShift) - 1), 3);
  const auto counts = stack_->catalog().Count(id);
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->num_samples, 3);
  EXPECT_EQ(counts->num_files, 2);
  EXPECT_EQ(counts->first_event_time, (Timestamp{10'000'000}));
  EXPECT_EQ(counts->last_event_time, (Timestamp{30'000'000}));
  EXPECT_THAT(stack_->catalog().Find(id)->spec_text, HasSubstr("columns: [t, y, x]"));
}

TEST_F(IngestTest, AnotherSyncOfTheSameFilesWritesNothing) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  const auto before = Query("SELECT xmin, version FROM storage.files");
  Sync(id);
  EXPECT_EQ(Query("SELECT xmin, version FROM storage.files"), before);
  EXPECT_THAT(Samples(), SizeIs(1));
}

TEST_F(IngestTest, KeysDoNotDependOnTheNumberOfParsers) {
  for (int file = 0; file < 30; ++file) {
    std::string text = "t,y\n";
    for (int row = 0; row < 1 + (file * 7) % 40; ++row) {
      text += std::to_string(1000 * file + row) + (row % 9 == 8 ? ",bad\n" : ",1\n");
    }
    data_.Write("f" + std::to_string(file) + ".csv", text);
  }
  const IngestorOptions small{.intake = {.files_per_batch = 7, .samples_per_segment = 13}};
  Restart(1, small);
  Sync(Register(SpecText()));
  const std::vector<Found> by_one = Samples();
  ASSERT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  Restart(4, small);
  Sync(Register(SpecText()));
  EXPECT_EQ(Samples(), by_one);
  EXPECT_GT(by_one.size(), 400U);
}

TEST_F(IngestTest, AnAppendedLineIsOneNewSample) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,");
  const DatasetId id = Register(SpecText("append: true\n"));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(2));
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,");
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:0", "1,1", 1}, Found{2, "a.csv:1", "2,0", 0},
                                     Found{3, "a.csv:2", "3,1", 1}));
  EXPECT_EQ(snapshot.tombstone_sequence, 0);
  EXPECT_THAT(Query("SELECT num_samples, first_position FROM storage.segments ORDER BY first_key"),
              ElementsAre(ElementsAre("3", "0")));
  EXPECT_EQ(NumColumnFiles(id), 1U);
}

TEST_F(IngestTest, AGrownFileWhoseBeginningChangedIsComparedAsAWhole) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText("append: true\n"));
  Sync(id);
  data_.Write("a.csv", "t,y\n5,1\n1,1\n2,0\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{2, "a.csv:2", "2,0", 0},
                                     Found{3, "a.csv:0", "5,1", 1}));
}

TEST_F(IngestTest, AChangedRowIsOneNewAndOneDeletedSampleAndTheRestKeepTheirKeys) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n2,0\n3,1\n4,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n4,1\n1,1\n2,0\n33,1\n2,0\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{2, "a.csv:2", "2,0", 0},
                                     Found{3, "a.csv:4", "2,0", 0}, Found{5, "a.csv:0", "4,1", 1},
                                     Found{6, "a.csv:3", "33,1", 1}));
  EXPECT_THAT(Query("SELECT sample_key & 255 FROM storage.tombstones"),
              ElementsAre(ElementsAre("4")));
  EXPECT_THAT(Query("SELECT version FROM storage.files"), ElementsAre(ElementsAre("2")));
  // What came back is new: a deleted sample stays deleted.
  data_.Write("a.csv", "t,y\n3,1\n4,1\n1,1\n2,0\n33,1\n2,0\n");
  Sync(id);
  EXPECT_EQ(Samples().back(), (Found{7, "a.csv:0", "3,1", 1}));
  EXPECT_THAT(Samples(), SizeIs(6));
}

TEST_F(IngestTest, AVanishedFileTakesItsSamplesAlongButAnEmptyFolderTakesNothing) {
  data_.Write("a.csv", "t,y\n1,1\n");
  data_.Write("b.csv", "t,y\n2,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Remove("a.csv");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{2, "b.csv:0", "2,1", 1}));
  data_.Remove("b.csv");
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("mounted")));
  data_.Write("a.csv", "t,y\n1,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "a.csv:0", "1,1", 1}));
}

TEST_F(IngestTest, SaysHowManySamplesARenamedFileHasLostAndHowManyAreNew) {
  data_.Write("a.csv", "t,y\n1,1\n2,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Remove("a.csv");
  data_.Write("b.csv", "t,y\n1,1\n2,1\n");
  SyncProgress last;
  ASSERT_THAT(stack_->ingestor().Sync(id, true, [&](const SyncProgress& done) { last = done; }),
              IsOk());
  EXPECT_EQ(last.num_deleted, 2);
  EXPECT_EQ(last.num_samples, 2);
}

TEST_F(IngestTest, BadRecordsAndFilesAreQuarantinedUntilTheyAreFixed) {
  data_.Write("a.csv", "t,y\n1,1\nnoon,1\n3,1\n");
  data_.Write("b.csv", "t,z\n1,1\n");
  data_.Write("c.csv", "t,y\n1,\xff\n2,x\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(2));
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(3));
  EXPECT_EQ((*entries)[0].path, data_.path() + "/a.csv");
  EXPECT_EQ((*entries)[0].position, 1);
  EXPECT_THAT((*entries)[0].reason, HasSubstr("'noon'"));
  EXPECT_EQ((*entries)[1].position, std::nullopt);
  EXPECT_THAT((*entries)[1].reason, HasSubstr("[t, z]"));
  EXPECT_THAT((*entries)[2].reason, HasSubstr("2 of 3 records are bad"));
  EXPECT_THAT(*stack_->catalog().ListQuarantine(id, 1), SizeIs(1));
  data_.Write("b.csv", "t,y\n1,1\n");
  data_.Write("a.csv", "t,y\n1,1\n2,1\n3,1\n");
  Sync(id);
  EXPECT_THAT(*stack_->catalog().ListQuarantine(id, 0), SizeIs(1));
  EXPECT_THAT(Samples(), SizeIs(4));
}

TEST_F(IngestTest, LabelsOutsideTheAllowedFoldersOrThatAreNotFilesAreRefused) {
  const std::string secret = state_.Write("secret.label", "1");
  for (const char* const name : {"good", "link", "pipe", "inner"}) {
    data_.Write(std::string(name) + ".png", name);
  }
  data_.Write("good.label", "1");
  std::filesystem::create_symlink(secret, data_.path() + "/link.label");
  std::filesystem::create_symlink(data_.path() + "/good.label", data_.path() + "/inner.label");
  ASSERT_EQ(mkfifo((data_.path() + "/pipe.label").c_str(), 0600), 0);
  const DatasetId id = Register(fmt::format(R"(path: {}
files: "*.png"
format: single_file
label: {{sidecar: .label}}
settle: 1us
)",
                                            data_.path()));
  Sync(id);
  EXPECT_THAT(Query("SELECT path FROM storage.files WHERE state = 'ingested' ORDER BY path"),
              ElementsAre(ElementsAre(data_.path() + "/good.png"),
                          ElementsAre(data_.path() + "/inner.png")));
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_THAT((*entries)[0].reason,
              HasSubstr("link.label' is in none of the allowed data folders"));
  EXPECT_THAT((*entries)[1].reason, HasSubstr("pipe.label is not a regular file"));
}

TEST_F(IngestTest, AKillAtAnyStageLosesNothingAndRepeatsNothing) {
  const DatasetId id = Register(SpecText());
  int round = 0;
  std::vector<Found> expected;
  for (const char* const failpoint :
       {"storage.ingest_before_copy", "storage.ingest_after_copy", "storage.ingest_before_commit",
        "storage.ingest_after_commit"}) {
    const std::string name = "f" + std::to_string(round++) + ".csv";
    data_.Write(name, "t,y\n1,1\n2,0\n");
    expected.push_back({std::ssize(expected) + 1, name + ":0", "1,1", 1});
    expected.push_back({std::ssize(expected) + 1, name + ":1", "2,0", 0});
    SyncAndDieAt(id, failpoint);
    Restart(2);
    Sync(id);
    EXPECT_EQ(Samples(), expected) << failpoint;
    EXPECT_EQ(NumColumnFiles(id), static_cast<size_t>(round)) << failpoint;
  }
}

TEST_F(IngestTest, AKillWhileAFileIsReplacedChangesNothingOrEverything) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n3,1\n1,1\n4,1\n");
  for (const char* const failpoint : {"storage.ingest_before_copy", "storage.ingest_before_commit",
                                      "storage.ingest_after_commit"}) {
    SyncAndDieAt(id, failpoint);
  }
  Restart(2);
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{3, "a.csv:0", "3,1", 1},
                                     Found{4, "a.csv:2", "4,1", 1}));
}

TEST_F(IngestTest, LostColumnFilesAreRebuiltAsTheyWere) {
  data_.Write("a.csv", "t,y\n1,1\nbad,1\n3,0\n4,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n3,0\n5,0\nbad,1\n1,1\n");
  Sync(id);
  const DatasetSpec spec = stack_->catalog().Find(id)->spec;
  const auto segments = Query("SELECT segment_id FROM storage.segments ORDER BY first_key");
  ASSERT_THAT(segments, SizeIs(2));
  for (const auto& row : segments) {
    const std::string path = SegmentPath(state_.path(), id, std::stoll(row[0]));
    const auto before = OpenSegmentColumns(path);
    ASSERT_THAT(before, IsOk());
    ASSERT_THAT(files::Remove(path), IsOk());
    ASSERT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                      std::stoll(row[0])),
                IsOk());
    const auto after = OpenSegmentColumns(path);
    ASSERT_THAT(after, IsOk());
    // The hash of a record that has vanished is unknown.
    const auto place = [](const LookupRow& at) {
      return std::tuple(at.byte_from, at.event_time, at.label);
    };
    EXPECT_TRUE(std::ranges::equal(after->lookup, before->lookup, {}, place, place));
    EXPECT_TRUE(std::ranges::equal(after->byte_to, before->byte_to));
    EXPECT_TRUE(std::ranges::equal(after->event_time, before->event_time));
  }
  data_.Write("a.csv", "t,y\n3,0\n");
  EXPECT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                    std::stoll(segments[0][0])),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("changed")));
}

TEST_F(IngestTest, AColumnFileLostAfterItsFileVanishedIsRebuilt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Remove("a.csv");
  Sync(id);
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(3));
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "b.csv:0", "3,1", 1}));
  EXPECT_THAT(*stack_->catalog().List(std::nullopt), SizeIs(1));
}

TEST_F(IngestTest, AColumnFileLostBeforeItsFileVanishedIsDataLossUntilTheNextSync) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  LoseColumnFiles(id);
  data_.Remove("a.csv");
  EXPECT_THAT(NumIndexedRows(id), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv")));
  Sync(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(3));
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "b.csv:0", "3,1", 1}));
}

TEST_F(IngestTest, SamplesWhoseColumnFileWasLostWhenTheirFileWasReplacedHaveNoPlaceInIt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  LoseColumnFiles(id);
  data_.Write("a.csv", "t,y\n5,1\n6,0\n");
  Sync(id);
  EXPECT_THAT(Query("SELECT sample_key & 255 FROM storage.samples WHERE position IS NULL "
                    "ORDER BY sample_key"),
              ElementsAre(ElementsAre("1"), ElementsAre("2")));
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(4));
}

TEST_F(IngestTest, SingleFilesShareSegmentsAndAreReplacedOneByOne) {
  data_.Write("ant/1.txt", "one");
  data_.Write("cat/2.txt", "two");
  data_.Write("cat/3.txt", "three");
  const DatasetId id =
      Register("path: " + data_.path() +
               "\nformat: single_file\nlabel: {folder: true, classes: [ant, cat]}\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "1.txt:0", "one", 0}, Found{2, "2.txt:0", "two", 1},
                                     Found{3, "3.txt:0", "three", 1}));
  EXPECT_EQ(NumColumnFiles(id), 1U);
  data_.Write("cat/2.txt", "two");
  data_.Write("cat/3.txt", "drei");
  data_.Remove("ant/1.txt");
  Sync(id);
  EXPECT_THAT(Samples(),
              ElementsAre(Found{2, "2.txt:0", "two", 1}, Found{4, "3.txt:0", "drei", 1}));
  const auto segments = Query("SELECT segment_id FROM storage.segments ORDER BY first_key");
  const DatasetSpec spec = stack_->catalog().Find(id)->spec;
  for (const auto& row : segments) {
    ASSERT_THAT(files::Remove(SegmentPath(state_.path(), id, std::stoll(row[0]))), IsOk());
    ASSERT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                      std::stoll(row[0])),
                IsOk());
  }
  EXPECT_THAT(Samples(),
              ElementsAre(Found{2, "2.txt:0", "two", 1}, Found{4, "3.txt:0", "drei", 1}));
}

TEST_F(IngestTest, ASampleDeletedByHandStaysDeletedWhenItsFileIsReplaced) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText());
  const int64_t key = Sync(id).committed_key;
  EXPECT_THAT(stack_->catalog().DeleteSamples(id, {{key}, {key}, {key + 9}}, {}), IsOkAndHolds(1));
  EXPECT_THAT(stack_->catalog().DeleteSamples(id, {{key}}, {}), IsOkAndHolds(0));
  EXPECT_THAT(stack_->catalog().DeleteSamples({77}, {{key}}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("77")));
  data_.Write("a.csv", "t,y\n2,0\n1,1\n3,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{3, "a.csv:2", "3,1", 1}));
  EXPECT_EQ(stack_->catalog().Count(id)->num_deleted, 1);
}

TEST_F(IngestTest, ARecordDeletedOnRequestStaysOutWhateverFileItComesIn) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n2,1\n");
  const DatasetId id = Register(SpecText("append: true\n"));
  const int64_t last = Sync(id).committed_key;
  DeleteOnRequest(id, {last - 1});
  // The file is renamed, a copy of it comes, and another file grows by the record.
  std::filesystem::rename(data_.path() + "/a.csv", data_.path() + "/b.csv");
  data_.Write("c.csv", "t,y\n2,0\n3,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{4, "b.csv:0", "1,1", 1}, Found{5, "b.csv:2", "2,1", 1},
                                     Found{6, "c.csv:1", "3,1", 1}));
  data_.Write("c.csv", "t,y\n2,0\n3,1\n2,0\n4,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{4, "b.csv:0", "1,1", 1}, Found{5, "b.csv:2", "2,1", 1},
                                     Found{6, "c.csv:1", "3,1", 1}, Found{7, "c.csv:3", "4,1", 1}));
  const auto counts = stack_->catalog().Count(id);
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->num_deleted, 3);
  EXPECT_EQ(counts->num_deleted_on_request, 1);
  ASSERT_THAT(counts->left_out.reasons, SizeIs(1));
  EXPECT_EQ(counts->left_out.reasons[0].num_records, 3);
  EXPECT_TRUE(counts->left_out.reasons[0].wanted);
  EXPECT_EQ(counts->left_out.num_seen, counts->num_samples + 3);
}

TEST_F(IngestTest, ARecordDeletedOnRequestStaysOutWhenItsColumnFileIsLost) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText());
  DeleteOnRequest(id, {Sync(id).committed_key});
  LoseColumnFiles(id);
  data_.Write("a.csv", "t,y\n2,0\n1,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "a.csv:1", "1,1", 1}));
}

TEST_F(IngestTest, AFileDeletedOnRequestStaysOutUnderAnotherName) {
  data_.Write("1.txt", "one");
  data_.Write("2.txt", "two");
  const DatasetId id =
      Register("path: " + data_.path() + "\nfiles: \"*.txt\"\nformat: single_file\n");
  DeleteOnRequest(id, {Sync(id).committed_key});
  std::filesystem::rename(data_.path() + "/2.txt", data_.path() + "/3.txt");
  Sync(id);
  const auto counts = stack_->catalog().Count(id);
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->num_samples, 1);
  EXPECT_EQ(counts->num_deleted, 1);
  EXPECT_EQ(counts->num_deleted_on_request, 1);
  EXPECT_EQ(counts->left_out.num_records, 1);
}

TEST_F(IngestTest, ASyncCountsNoSampleTwiceThatWasDeletedBeforeItsRecordWent) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  const DatasetId id = Register(SpecText());
  DeleteOnRequest(id, {Sync(id).committed_key});
  data_.Write("a.csv", "t,y\n1,1\n");
  int64_t num_deleted = 0;
  const auto progress = [&](const SyncProgress& now) { num_deleted = now.num_deleted; };
  ASSERT_THAT(stack_->ingestor().Sync(id, /*wait=*/true, progress), IsOk());
  EXPECT_EQ(num_deleted, 1);
  EXPECT_EQ(stack_->catalog().Count(id)->num_deleted, 2);
  EXPECT_EQ(stack_->catalog().Count(id)->num_deleted_on_request, 1);
}

}  // namespace
}  // namespace tidemill::storage
