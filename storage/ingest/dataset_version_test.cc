// Datasets that are registered again with another spec, on a real PostgreSQL.
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::Found;
using ::testing::HasSubstr;
using testing::IngestTest;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class DatasetVersionTest : public IngestTest {
 protected:
  DatasetCatalog::Registration RegisterAgain(const std::string& spec,
                                             OnOtherSpec on_other_spec = OnOtherSpec::kNewVersion) {
    const auto registered = stack_->catalog().Register("", "d", spec, {}, {}, on_other_spec);
    EXPECT_THAT(registered, IsOk());
    return registered.value_or(DatasetCatalog::Registration{});
  }

  std::string Where(const std::string& condition) const {
    return SpecText("where: " + condition + "\n");
  }

  // "counter file:position" of each sample that is not deleted, as PostgreSQL has them.
  std::vector<std::string> KeysOf(DatasetId id) {
    std::vector<std::string> keys;
    for (const auto& row : Query(fmt::format(R"(
             SELECT s.sample_key & ((1::bigint << 44) - 1), f.path, s.position
             FROM storage.samples s JOIN storage.files f USING (file_id)
             WHERE s.dataset_id = {0} AND s.sample_key NOT IN
               (SELECT sample_key FROM storage.tombstones WHERE dataset_id = {0})
             ORDER BY 1)",
                                             id.value))) {
      keys.push_back(fmt::format("{} {}:{}", row[0],
                                 std::filesystem::path(row[1]).filename().string(), row[2]));
    }
    return keys;
  }

  int64_t NumSamples(DatasetId id) {
    const auto counts = stack_->catalog().Count(id);
    EXPECT_THAT(counts, IsOk());
    return counts.ok() ? counts->num_samples : -1;
  }
};

TEST_F(DatasetVersionTest, IsRefusedUnlessItIsAskedFor) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n");
  Register(SpecText());
  EXPECT_THAT(stack_->catalog().Register("", "d", Where("v = 1"), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("where is now"), HasSubstr("--new-dataset-version"))));
}

TEST_F(DatasetVersionTest, IsTheSameDatasetWhileTheSpecIs) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n");
  const DatasetId id = Register(SpecText());
  const auto again = RegisterAgain(SpecText());
  EXPECT_EQ(again.id, id);
  EXPECT_FALSE(again.created);
}

TEST_F(DatasetVersionTest, RecordsThatAreTheSameKeepTheirKeysBesideTheOldVersion) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,0,0\n3,1,1\n");
  data_.Write("b.csv", "t,y,v\n4,0,0\n5,1,1\n");
  const DatasetId old = Register(SpecText());
  Sync(old);
  const auto fresh = RegisterAgain(Where("v = 1"));
  EXPECT_EQ(fresh.earlier_version, "d@1");
  EXPECT_NE(fresh.id, old);
  data_.Write("c.csv", "t,y,v\n6,1,1\n");
  Sync(fresh.id);
  EXPECT_THAT(KeysOf(fresh.id), ElementsAre("1 a.csv:0", "3 a.csv:2", "5 b.csv:1", "6 c.csv:0"));
  EXPECT_EQ(NumSamples(fresh.id), 4);
  EXPECT_THAT(NumIndexedRows(fresh.id), IsOk());
  // The old one stays as it was, under another name.
  EXPECT_EQ(stack_->catalog().Find("", "d@1")->id, old);
  EXPECT_EQ(stack_->catalog().Find("", "d")->id, fresh.id);
  EXPECT_EQ(NumSamples(old), 5);
  EXPECT_THAT(stack_->ingestor().Sync(old, true, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("earlier version")));
}

TEST_F(DatasetVersionTest, ALabelOrATimeThatIsAnotherMakesANewSample) {
  data_.Write("a.csv", "t,y,u\n1,1,1\n2,0,1\n3,1,3\n");
  const DatasetId old = Register(SpecText());
  Sync(old);
  std::string other = SpecText();
  other.replace(other.find("column: y"), 9, "column: u");
  const DatasetId relabelled = RegisterAgain(other).id;
  Sync(relabelled);
  EXPECT_THAT(KeysOf(relabelled), ElementsAre("1 a.csv:0", "4 a.csv:1", "5 a.csv:2"));
  other.replace(other.find("column: t"), 9, "column: u");
  const auto timed = RegisterAgain(other);
  EXPECT_EQ(timed.earlier_version, "d@2");
  Sync(timed.id);
  EXPECT_THAT(KeysOf(timed.id), ElementsAre("1 a.csv:0", "5 a.csv:2", "6 a.csv:1"));
}

TEST_F(DatasetVersionTest, SamplesThatWereDeletedOnRequestStayOutWhateverTheirLabel) {
  data_.Write("a.csv", "t,y,u\n1,1,0\n2,0,1\n3,1,0\n");
  const DatasetId old = Register(SpecText());
  const int64_t first = Sync(old).committed_key - 2;
  DeleteOnRequest(old, {first + 1});
  std::string other = SpecText();
  other.replace(other.find("column: y"), 9, "column: u");
  const DatasetId fresh = RegisterAgain(other).id;
  Sync(fresh);
  EXPECT_EQ(NumSamples(fresh), 2);
  // Not even in a version of a version, nor in another file.
  data_.Write("b.csv", "t,y,u\n2,0,1\n");
  const DatasetId third = RegisterAgain(Where("t < 100")).id;
  Sync(third);
  EXPECT_EQ(NumSamples(third), 2);
  const auto left_out = stack_->catalog().Count(third)->left_out;
  EXPECT_EQ(left_out.num_records, 2);
}

TEST_F(DatasetVersionTest, IsRefusedWhereDeletedRecordsCouldNotBeRecognised) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId old = Register(SpecText());
  const int64_t last = Sync(old).committed_key;
  DeleteOnRequest(old, {last});
  const std::string lines = "path: " + data_.path() + "\nfiles: \"*.csv\"\nformat: jsonl\n";
  EXPECT_THAT(stack_->catalog().Register("", "d", lines, {}, {}, OnOtherSpec::kNewVersion),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("deleted on request")));
  EXPECT_EQ(stack_->catalog().Find("", "d")->id, old);
}

TEST_F(DatasetVersionTest, AReplacedOneIsGoneOnceTheNewOneIsThere) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,0,0\n");
  const DatasetId old = Register(SpecText());
  Sync(old);
  const auto fresh = RegisterAgain(Where("v = 0"), OnOtherSpec::kReplace);
  EXPECT_EQ(fresh.earlier_version, "");
  EXPECT_EQ(NumSamples(old), 2);
  EXPECT_THAT(stack_->catalog().Delete("", "d@1", {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("takes over")));
  Sync(fresh.id);
  EXPECT_THAT(KeysOf(fresh.id), ElementsAre("2 a.csv:1"));
  EXPECT_THAT(stack_->catalog().Find(old),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  EXPECT_FALSE(files::Exists(SegmentFolder(state_.path(), old)));
}

TEST_F(DatasetVersionTest, IsVisibleWholeOrNotAtAllWhenTheProcessDies) {
  const IngestorOptions small{.intake = {.files_per_batch = 1, .samples_per_segment = 13}};
  Restart(1, small);
  for (const char* name : {"a.csv", "b.csv", "c.csv"}) {
    std::string text = "t,y,v\n";
    for (int row = 0; row < 30; ++row) text += fmt::format("{},{},{}\n", row, row % 2, row % 3);
    data_.Write(name, text);
  }
  const DatasetId old = Register(SpecText());
  Sync(old);
  const DatasetId fresh = RegisterAgain(Where("v > 0")).id;
  SyncAndDieAt(fresh, "storage.ingest_after_commit", 2, small);
  EXPECT_EQ(NumSamples(fresh), 0);
  EXPECT_THAT(NumIndexedRows(fresh), IsOk());
  Sync(fresh);
  EXPECT_EQ(NumSamples(fresh), 60);
  const std::vector<std::string> once = KeysOf(fresh);
  EXPECT_EQ(once.size(), 60U);
  EXPECT_EQ(once.front(), "2 a.csv:1");
  EXPECT_EQ(once.back(), "90 c.csv:29");
}

TEST_F(DatasetVersionTest, ManyRecordsLeftOutDoNotMakeManySegments) {
  std::string text = "t,y,v\n";
  for (int row = 0; row < 20'000; ++row) text += fmt::format("{},1,{}\n", row, row % 2);
  data_.Write("a.csv", text);
  const DatasetId old = Register(SpecText());
  Sync(old);
  const DatasetId fresh = RegisterAgain(Where("v = 1")).id;
  Sync(fresh);
  EXPECT_EQ(NumSamples(fresh), 10'000);
  EXPECT_EQ(stack_->catalog().Count(fresh)->num_deleted, 0);
  EXPECT_THAT(stack_->catalog().KeysAt(fresh, {{data_.path() + "/a.csv", 0}}),
              IsOkAndHolds(ElementsAre(std::nullopt)));
  EXPECT_THAT(Query("SELECT count(*) FROM storage.segments WHERE dataset_id ="
                    " (SELECT max(dataset_id) FROM storage.datasets)"),
              ElementsAre(ElementsAre("1")));
}

TEST_F(DatasetVersionTest, FilesWhoseKeysAreMixedLoseNoSample) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,0,0\n");
  data_.Write("b.csv", "t,y,v\n3,1,1\n4,0,0\n");
  const DatasetId old = Register(SpecText("append: true\n"));
  Sync(old);
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,0,0\n5,1,1\n6,0,0\n");
  Sync(old);
  const DatasetId fresh = RegisterAgain(SpecText("append: true\nwhere: v < 2\n")).id;
  Sync(fresh);
  EXPECT_EQ(NumSamples(fresh), 6);
  EXPECT_THAT(KeysOf(fresh), ElementsAre("1 a.csv:0", "2 a.csv:1", "3 b.csv:0", "4 b.csv:1",
                                         "5 a.csv:2", "6 a.csv:3"));
  EXPECT_THAT(NumIndexedRows(fresh), IsOkAndHolds(6));
}

TEST_F(DatasetVersionTest, AFileThatComesLaterGetsNewKeys) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n");
  data_.Write("b.csv", "t,y,v\n2,1,1\n");
  const DatasetId old = Register(SpecText());
  Sync(old);
  data_.Remove("a.csv");
  const DatasetId fresh = RegisterAgain(Where("v = 1")).id;
  Sync(fresh);
  EXPECT_THAT(KeysOf(fresh), ElementsAre("2 b.csv:0"));
  data_.Write("a.csv", "t,y,v\n1,1,1\n");
  Sync(fresh);
  EXPECT_THAT(KeysOf(fresh), ElementsAre("2 b.csv:0", "3 a.csv:0"));
}

TEST_F(DatasetVersionTest, ASecondChangeBeforeTheFirstIsIngestedTakesOverTheSameKeys) {
  data_.Write("a.csv", "t,y,v\n1,1,1\n2,0,0\n");
  const DatasetId old = Register(SpecText());
  Sync(old);
  const DatasetId unseen = RegisterAgain(Where("v = 1")).id;
  const auto fresh = RegisterAgain(Where("v = 0"));
  EXPECT_EQ(fresh.earlier_version, "");
  EXPECT_THAT(stack_->catalog().Find(unseen),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  Sync(fresh.id);
  EXPECT_THAT(KeysOf(fresh.id), ElementsAre("2 a.csv:1"));
  EXPECT_EQ(stack_->catalog().Find("", "d@1")->id, old);
}

TEST_F(DatasetVersionTest, FilesThatAreSamplesKeepTheirKeys) {
  for (int i = 0; i < 5; ++i) data_.Write(fmt::format("{}.txt", i), fmt::format("text {}", i));
  const std::string spec = "path: " + data_.path() + "\nfiles: \"{}\"\nformat: single_file\n";
  const DatasetId old = Register(fmt::format(fmt::runtime(spec), "*.txt"));
  Sync(old);
  const DatasetId fresh = RegisterAgain(fmt::format(fmt::runtime(spec), "?.txt")).id;
  Sync(fresh);
  const DatasetId some = RegisterAgain(fmt::format(fmt::runtime(spec), "?.txt")).id;
  Sync(some);
  EXPECT_THAT(KeysOf(some),
              ElementsAre("1 0.txt:0", "2 1.txt:0", "3 2.txt:0", "4 3.txt:0", "5 4.txt:0"));
}

}  // namespace
}  // namespace tidemill::storage
