// Records that `where` filters, and what becomes of them, on a real PostgreSQL.
#include <fstream>

#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::Found;
using testing::IngestTest;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

class FilteredTest : public IngestTest {
 protected:
  std::string Where(const std::string& where, const std::string& rest = "") const {
    return SpecText("where: " + where + "\n" + rest);
  }

  DatasetCounts Counts(DatasetId id) {
    const auto counts = stack_->catalog().Count(id);
    EXPECT_THAT(counts, IsOk());
    return *counts;
  }

  int64_t NumFiltered(DatasetId id) { return Counts(id).left_out.num_filtered; }

  // Every record is a sample, filtered or left out.
  void ExpectBalance(DatasetId id) {
    const DatasetCounts counts = Counts(id);
    EXPECT_EQ(counts.num_samples + counts.left_out.num_filtered + counts.left_out.num_records,
              counts.left_out.num_seen);
  }

  // As a writer does that keeps the file open.
  void Append(const std::string& name, const std::string& text) {
    std::ofstream(data_.path() + "/" + name, std::ios::app) << text;
  }

  // The records [from, to); those whose number is a multiple of 3 have v = 1.
  static std::string Thirds(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += fmt::format("{},{},{}\n", i, i % 2, i % 3 == 0 ? 1 : 0);
    return text;
  }
};

TEST_F(FilteredTest, FilteredRecordsGetNoKeysAndAreCountedByFile) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,1,0\n3,0,1\n");
  data_.Write("b.csv", "t,y,v\n4,1,\n5,1,1\n6,1,x\n");
  const DatasetId id = Register(Where("v = 1"));
  Sync(id);
  EXPECT_THAT(Samples(),
              ElementsAre(Found{1, "a.csv:0", "1,1,1", 1}, Found{2, "a.csv:2", "3,0,1", 0},
                          Found{3, "b.csv:1", "5,1,1", 1}));
  EXPECT_THAT(Query("SELECT num_filtered, records_done FROM storage.files ORDER BY path"),
              ElementsAre(ElementsAre("1", "3"), ElementsAre("1", "3")));
  EXPECT_EQ(NumFiltered(id), 2);
  EXPECT_EQ(Counts(id).left_out.num_records, 1);
  ExpectBalance(id);
}

TEST_F(FilteredTest, FilteredRecordsCondemnNoFileHoweverManyTheyAre) {
  data_.Write("a.csv", "t,y,v\n" + Thirds(0, 300));
  const DatasetId id = Register(Where("v = 2", "max_bad_fraction: 0\n"));
  Sync(id);
  EXPECT_THAT(Samples(), IsEmpty());
  EXPECT_THAT(Query("SELECT state FROM storage.files"), ElementsAre(ElementsAre("ingested")));
  EXPECT_EQ(NumFiltered(id), 300);
  ExpectBalance(id);
}

TEST_F(FilteredTest, ARecordComesBackWhenItsFileIsReplacedAndItSatisfiesTheCondition) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,1,0\n3,0,1\n");
  data_.Write("b.csv", "t,y,v\n5,1,0\n");
  const DatasetId id = Register(Where("v = 1"));
  Sync(id);
  data_.Write("a.csv", "t,y,v\n1,1,0\n2,1,1\n3,0,1\n4,0,0\n");
  Sync(id);
  // The first record is gone, the second is a new sample, and the third keeps its key.
  EXPECT_THAT(Samples(),
              ElementsAre(Found{2, "a.csv:2", "3,0,1", 0}, Found{3, "a.csv:1", "2,1,1", 1}));
  EXPECT_EQ(NumFiltered(id), 3);
  data_.Remove("a.csv");
  Sync(id);
  EXPECT_EQ(NumFiltered(id), 1);
}

TEST_F(FilteredTest, AGrowingFileIsFilteredAsItGrows) {
  data_.Write("a.csv", "t,y,v\n" + Thirds(0, 10));
  const DatasetId id = Register(Where("v = 1", "append: true\n"));
  Sync(id);
  EXPECT_EQ(NumFiltered(id), 6);
  Append("a.csv", Thirds(10, 31));
  Sync(id);
  EXPECT_EQ(NumFiltered(id), 20);
  Append("a.csv", "31,1,0\n32,1,1\n33,1");
  Sync(id);
  EXPECT_EQ(NumFiltered(id), 21);
  const auto samples = Samples();
  ASSERT_EQ(samples.size(), 12u);
  EXPECT_EQ(samples.back(), (Found{12, "a.csv:32", "32,1,1", 1}));
  ExpectBalance(id);
}

TEST_F(FilteredTest, AFileThatIsFilteredWholeMayGrow) {
  data_.Write("a.csv", "t,y,v\n" + Thirds(1, 3));
  const DatasetId id = Register(Where("v = 1", "append: true\n"));
  Sync(id);
  Append("a.csv", Thirds(3, 5));
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:2", "3,1,1", 1}));
  EXPECT_EQ(NumFiltered(id), 3);
  ExpectBalance(id);
}

TEST_F(FilteredTest, PiecesAreFilteredAsTheWholeFileIs) {
  data_.Write("a.csv", "t,y,v\n" + Thirds(0, 1000));
  IngestorOptions options;
  options.intake.samples_per_batch = 64;
  Restart(1, options);
  const DatasetId id = Register(Where("v = 1"));
  Sync(id);
  const auto samples = Samples();
  ASSERT_EQ(samples.size(), 334u);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].counter, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(samples[i].place, fmt::format("a.csv:{}", 3 * i));
  }
  EXPECT_EQ(NumFiltered(id), 666);
  ExpectBalance(id);
}

TEST_F(FilteredTest, KillsAtAnyPointGiveTheSameKeysAndCounts) {
  data_.Write("a.csv", "t,y,v\n" + Thirds(0, 400));
  data_.Write("b.csv", "t,y,v\n" + Thirds(400, 420));
  IngestorOptions options;
  options.intake.samples_per_batch = 100;
  const DatasetId id = Register(Where("v = 1"));
  for (const char* point : {"storage.ingest_before_copy", "storage.ingest_after_copy",
                            "storage.ingest_before_commit", "storage.ingest_after_commit"}) {
    SyncAndDieAt(id, point, /*passage=*/1, options);
  }
  Restart(2, options);
  Sync(id);
  const auto samples = Samples();
  ASSERT_EQ(samples.size(), 140u);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].counter, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(samples[i].bytes, fmt::format("{},{},1", 3 * i, 3 * i % 2));
  }
  EXPECT_EQ(NumFiltered(id), 280);
  ExpectBalance(id);
}

TEST_F(FilteredTest, AQuarantinedFileStillAddsUp) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,1,0\nx,1,1\nx,1,1\nx,1,1\n");
  const DatasetId id = Register(Where("v = 1"));
  Sync(id);
  EXPECT_THAT(Query("SELECT state FROM storage.files"), ElementsAre(ElementsAre("quarantined")));
  EXPECT_EQ(NumFiltered(id), 1);
  EXPECT_EQ(Counts(id).left_out.num_records, 4);
  ExpectBalance(id);
}

TEST_F(FilteredTest, AnotherConditionIsAnotherSpec) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n");
  Register(Where("v = 1"));
  const auto again = stack_->catalog().Register("", "d", Where("v = 2"), {});
  EXPECT_EQ(again.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tidemill::storage
