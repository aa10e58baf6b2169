// Files that grow while what was taken of them changes, too.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/ingest/old_segments.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::Found;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;

constexpr char kText[] = "t,y,x\n1,1,a\n2,0,b\n3,1,c\n4,0,d\n";

class GrownFilesTest : public testing::IngestTest {
 protected:
  DatasetId Take(const std::string& text = kText) {
    data_.Write("a.csv", text);
    const DatasetId id = Register(SpecText("append: true\n"));
    Sync(id);
    return id;
  }

  // The records with their keys.
  std::vector<std::string> Records() {
    std::vector<std::string> records;
    for (const Found& sample : Samples()) {
      records.push_back(std::to_string(sample.counter) + ": " + sample.bytes);
    }
    return records;
  }

  std::string Reasons(DatasetId id) {
    std::string reasons;
    const auto entries = stack_->catalog().ListQuarantine(id, 0);
    for (const auto& entry : *entries) reasons += entry.reason + "\n";
    return reasons;
  }
};

TEST_F(GrownFilesTest, ARecordThatChangedInPlaceIsAnotherSample) {
  const DatasetId id = Take();
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,B\n3,1,c\n4,0,d\n");
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "3: 3,1,c", "4: 4,0,d", "5: 2,0,B"));
}

TEST_F(GrownFilesTest, ARecordThatChangedWhileTheFileGrewIsAnotherSample) {
  const DatasetId id = Take();
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,B\n3,1,c\n4,0,d\n5,1,e\n");
  const int64_t num_deleted = Sync(id).tombstone_sequence;
  EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "3: 3,1,c", "4: 4,0,d", "5: 2,0,B", "6: 5,1,e"));
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,B\n3,1,c\n4,0,d\n5,1,e\n6,0,f\n");
  EXPECT_EQ(Sync(id).tombstone_sequence, num_deleted) << "nothing else has changed";
  EXPECT_THAT(Records(), SizeIs(6));
}

TEST_F(GrownFilesTest, AnotherFileInItsPlaceIsComparedAsAWhole) {
  const DatasetId id = Take();
  const std::string path = data_.path() + "/a.csv";
  struct stat before {};
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  // As rsync -t does it: the last record is where it was, and the time is the old one.
  const std::string other = data_.Write("other", "t,y,x\n9,1,z\n2,0,b\n3,1,c\n4,0,d\n");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, other.c_str(), times, 0), 0);
  std::filesystem::rename(other, path);
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("2: 2,0,b", "3: 3,1,c", "4: 4,0,d", "5: 9,1,z"));
  const std::string longer = data_.Write("other", "t,y,x\n9,1,z\n2,0,b\n3,1,C\n4,0,d\n5,1,e\n");
  std::filesystem::rename(longer, path);
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("2: 2,0,b", "4: 4,0,d", "5: 9,1,z", "6: 3,1,C", "7: 5,1,e"));
}

TEST_F(GrownFilesTest, ABadRecordThatIsCorrectedInPlaceIsASample) {
  const DatasetId id = Take("t,y,x\n1,1,a\n2,z,b\n3,1,c\n");
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,b\n3,1,c\n");
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "2: 3,1,c", "3: 2,0,b"));
  EXPECT_EQ(Reasons(id), "");
}

TEST_F(GrownFilesTest, ABadRecordThatIsCorrectedWhileTheFileGrowsIsASample) {
  const DatasetId id = Take("t,y,x\n1,1,a\n2,z,b\n3,1,c\n");
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,b\n3,1,c\n4,0,d\n");
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "2: 3,1,c", "3: 2,0,b", "4: 4,0,d"));
  EXPECT_EQ(Reasons(id), "");
}

TEST_F(GrownFilesTest, AFileWhoseRecordsAreAllFilteredIsReadOnFromWhereItEnded) {
  data_.Write("a.csv", kText);
  const DatasetId id = Register(SpecText("append: true\nwhere: \"x = 'z'\"\n"));
  Sync(id);
  const auto version = [&] { return Query("SELECT version, num_filtered FROM storage.files")[0]; };
  EXPECT_THAT(version(), ElementsAre("1", "4"));
  data_.Write("a.csv", kText + std::string("5,1,e\n"));
  Sync(id);
  EXPECT_THAT(version(), ElementsAre("1", "5")) << "it was not read as another file";
  data_.Write("a.csv", kText + std::string("5,1,e\n6,1,z\n"));
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 6,1,z"));
  // One of those that were filtered changes while the file grows.
  data_.Write("a.csv", "t,y,x\n1,1,z\n2,0,b\n3,1,c\n4,0,d\n5,1,e\n6,1,z\n7,0,z\n");
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 6,1,z", "2: 1,1,z", "3: 7,0,z"));
}

TEST_F(GrownFilesTest, AnEditIsSeenAlthoughItsTimeIsPutBack) {
  for (const char* const append : {"append: true\n", ""}) {
    const std::string path = data_.Write("a.csv", kText);
    const DatasetId id = Register(SpecText(append));
    Sync(id);
    struct stat before {};
    ASSERT_EQ(stat(path.c_str(), &before), 0);
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(pwrite(file, "B", 1, 16), 1);
    close(file);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    Sync(id);
    EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "3: 3,1,c", "4: 4,0,d", "5: 2,0,B")) << append;
    ASSERT_EQ(chmod(path.c_str(), 0640), 0);
    Sync(id);
    EXPECT_THAT(Records(), SizeIs(4)) << "the keys are the same";
    ASSERT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  }
}

TEST_F(GrownFilesTest, WhatWasTakenIsComparedInTurn) {
  const DatasetId id = Take();
  OldSegments old(stack_->database(), state_.path(), id);
  const FileId file{std::stoll(Query("SELECT file_id FROM storage.files")[0][0])};
  const int64_t first = std::stoll(Query("SELECT min(sample_key) FROM storage.samples")[0][0]);
  const auto data = stack_->cache().Open(data_.path() + "/a.csv");
  ASSERT_THAT(data, IsOk());
  // The budget ends with the first record: all of the small file is read for it.
  int64_t key = 0;
  for (const int64_t next : {0, 1, 2, 3, 0, 1}) {
    const auto compared = old.Compare(file, *data, key, 1);
    ASSERT_THAT(compared, IsOkAndHolds(Optional(first + next)));
    key = **compared;
  }
  // In the middle of the taken part: noticed when it is its turn.
  data_.Write("a.csv", "t,y,x\n1,1,a\n2,0,b\n3,1,C\n4,0,d\n");
  EXPECT_THAT(old.Compare(file, *data, first, 1), IsOkAndHolds(Optional(first + 1)));
  EXPECT_THAT(old.Compare(file, *data, first + 1, 1), IsOkAndHolds(::testing::Eq(std::nullopt)));
  EXPECT_THAT(old.Compare(file, *data, first + 2, 1 << 20),
              IsOkAndHolds(::testing::Eq(std::nullopt)));
}

TEST_F(GrownFilesTest, AfterAMovedHeaderNothingIsTakenHoweverOftenTheFileGrows) {
  const DatasetId id = Take();
  std::string text = std::string(kText) + "t,x,y\n5,1,0\n";
  data_.Write("a.csv", text);
  Sync(id);
  text += "6,1,1\n7,0,1\n";
  data_.Write("a.csv", text);
  Sync(id);
  EXPECT_THAT(Records(), SizeIs(4));
  text += "t,y,x\n8,1,h\n";
  data_.Write("a.csv", text);
  Sync(id);
  EXPECT_THAT(Records(), ElementsAre("1: 1,1,a", "2: 2,0,b", "3: 3,1,c", "4: 4,0,d", "5: 8,1,h"));
  const auto counts = Query("SELECT sum(num_records) FROM storage.left_out");
  EXPECT_EQ(counts[0][0], "5") << "two headers, three records";
  EXPECT_THAT(Reasons(id), HasSubstr("with the columns in another order: 't, x, y'"));
}

TEST_F(GrownFilesTest, AFileOfAnotherKindIsNamedWhereNoRecordCanBeRead) {
  data_.Write("a.csv", std::string("PK\x03\x04\x14\0\0\0\x08\0", 10) + "rows\n");
  const DatasetId id = Register("path: " + data_.path() +
                                "\nfiles: \"*.csv\"\nformat: jsonl\nlabel: {column: y}\n"
                                "event_time: {column: t, format: unix}\n");
  Sync(id);
  EXPECT_THAT(Samples(), IsEmpty());
  EXPECT_THAT(Reasons(id), HasSubstr("it is a zip archive: unpack it"));
}

}  // namespace
}  // namespace tidemill::storage
