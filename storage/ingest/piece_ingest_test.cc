// Files that are larger than a transaction, on a real PostgreSQL.
#include "storage/testing/ingest_fixture.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage::testing {
namespace {

// The first piece has a record, the others two.
constexpr IngestorOptions kSmallPieces{.intake = {.samples_per_batch = 2}};

class PieceIngestTest : public IngestTest {
 protected:
  void SetUp() override { Restart(2, kSmallPieces); }

  // The bytes of a dataset's column files.
  std::vector<std::string> ColumnsOf(DatasetId id) {
    std::vector<std::string> columns;
    for (const auto& row : Query("SELECT segment_id FROM storage.segments ORDER BY first_key")) {
      const auto bytes = files::Read(SegmentPath(state_.path(), id, std::stoll(row[0])));
      EXPECT_THAT(bytes, IsOk());
      columns.push_back(*bytes);
    }
    return columns;
  }

  std::string StateOf(const std::string& name) {
    const auto rows =
        Query("SELECT state FROM storage.files WHERE path = '" + data_.path() + "/" + name + "'");
    return rows.size() == 1 ? rows.front().front() : "none or several";
  }
};

TEST_F(PieceIngestTest, ALargeFileHasTheSameSamplesAsOneThatIsTakenWhole) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\nbad,1\n3,1\n4,0\n5,1\n6,0");
  data_.Write("b.csv", "t,y\n7,1\n8,1\n9,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  const std::vector<Found> in_pieces = Samples();
  EXPECT_EQ(StateOf("a.csv"), "ingested");
  EXPECT_GT(NumColumnFiles(id), 4U);
  EXPECT_THAT(Query("SELECT position FROM storage.quarantine"), ElementsAre(ElementsAre("2")));
  EXPECT_THAT(Query("SELECT DISTINCT version FROM storage.files"), ElementsAre(ElementsAre("1")));
  EXPECT_EQ(stack_->catalog().Count(id)->num_files, 2);
  ASSERT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  Restart(2);
  Sync(Register(SpecText()));
  EXPECT_EQ(Samples(), in_pieces);
  EXPECT_THAT(in_pieces, SizeIs(9));
}

TEST_F(PieceIngestTest, AKillBetweenPiecesLosesNothingAndRepeatsNothing) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\nbad,1\n3,1\n4,0\n5,1\n6,0\n");
  const DatasetId id = Register(SpecText());
  for (const char* const failpoint :
       {"storage.ingest_before_copy", "storage.ingest_after_copy", "storage.ingest_before_commit",
        "storage.ingest_after_commit"}) {
    SyncAndDieAt(id, failpoint, 2, kSmallPieces);
    EXPECT_EQ(StateOf("a.csv"), "partial") << failpoint;
  }
  Restart(2, kSmallPieces);
  Sync(id);
  EXPECT_EQ(StateOf("a.csv"), "ingested");
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:0", "1,1", 1}, Found{2, "a.csv:1", "2,0", 0},
                                     Found{3, "a.csv:3", "3,1", 1}, Found{4, "a.csv:4", "4,0", 0},
                                     Found{5, "a.csv:5", "5,1", 1}, Found{6, "a.csv:6", "6,0", 0}));
  EXPECT_THAT(Query("SELECT position FROM storage.quarantine"), ElementsAre(ElementsAre("2")));
  const auto segments = Query("SELECT count(*) FROM storage.segments");
  EXPECT_EQ(std::to_string(NumColumnFiles(id)), segments.front().front());
}

TEST_F(PieceIngestTest, APartOfAFileThatWasReplacedMeanwhileIsComparedWithTheNewOne) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n5,1\n");
  const DatasetId id = Register(SpecText());
  SyncAndDieAt(id, "storage.ingest_after_commit", 2, kSmallPieces);
  data_.Write("a.csv", "t,y\n0,1\n3,1\n1,1\n5,1\n");
  Restart(2, kSmallPieces);
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:2", "1,1", 1}, Found{3, "a.csv:1", "3,1", 1},
                                     Found{4, "a.csv:0", "0,1", 1}, Found{5, "a.csv:3", "5,1", 1}));
  EXPECT_EQ(StateOf("a.csv"), "ingested");
}

TEST_F(PieceIngestTest, APartOfAFileThatVanishedMeanwhileVanishesWithIt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n");
  data_.Write("b.csv", "t,y\n9,1\n");
  const DatasetId id = Register(SpecText());
  SyncAndDieAt(id, "storage.ingest_after_commit", 1, kSmallPieces);
  data_.Remove("a.csv");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{2, "b.csv:0", "9,1", 1}));
}

TEST_F(PieceIngestTest, AFileThatHasGrownByManyRecordsIsIngestedInPieces) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText("append: true\n"));
  Sync(id);
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n5,1\n6,0\n7,");
  SyncAndDieAt(id, "storage.ingest_after_commit", 2, kSmallPieces);
  EXPECT_EQ(StateOf("a.csv"), "partial");
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n5,1\n6,0\n7,1\n8,0\n");
  Restart(2, kSmallPieces);
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_EQ(snapshot.tombstone_sequence, 0);
  EXPECT_THAT(Samples(), SizeIs(8));
  EXPECT_EQ(Samples().back(), (Found{8, "a.csv:7", "8,0", 0}));
}

TEST_F(PieceIngestTest, ALargeFileThatTurnsOutToBeBadIsQuarantinedWhole) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\nx,1\nx,1\nx,1\nx,1\nx,1\n");
  data_.Write("b.csv", "t,y\n9,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "b.csv:0", "9,1", 1}));
  EXPECT_EQ(StateOf("a.csv"), "quarantined");
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(1));
  EXPECT_EQ(entries->front().position, std::nullopt);
  EXPECT_THAT(entries->front().reason, HasSubstr("5 of 7 records are bad"));
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(3));
}

TEST_F(PieceIngestTest, WhatIsBadInTheFirstPiecesCountsAfterARestart) {
  data_.Write("a.csv", "t,y\nx,1\nx,0\nx,1\n4,1\n5,1\n");
  const DatasetId id = Register(SpecText());
  SyncAndDieAt(id, "storage.ingest_after_commit", 2, kSmallPieces);
  EXPECT_EQ(StateOf("a.csv"), "partial");
  Restart(2, kSmallPieces);
  Sync(id);
  EXPECT_EQ(StateOf("a.csv"), "quarantined");
  EXPECT_THAT(Samples(), IsEmpty());
  EXPECT_THAT(stack_->catalog().ListQuarantine(id, 0)->front().reason,
              HasSubstr("3 of 5 records are bad"));
}

TEST_F(PieceIngestTest, ALostColumnFileOfAPartIsRebuilt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n5,1\n");
  const DatasetId id = Register(SpecText());
  SyncAndDieAt(id, "storage.ingest_after_commit", 2, kSmallPieces);
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(3));
  Sync(id);
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(5));
  EXPECT_EQ(Samples()[2], (Found{3, "a.csv:2", "3,1", 1}));
}

TEST_F(PieceIngestTest, LostColumnFilesOfPiecesAreRebuiltInEveryFormat) {
  std::string fixed, lines, records;
  for (int i = 0; i < 9; ++i) {
    fixed += "record " + std::to_string(i);
    lines += "{\"x\": " + std::to_string(i) + "}\n";
    records += TfRecord(std::string(static_cast<size_t>(i), 'r'));
  }
  data_.Write("a.bin", fixed);
  data_.Write("a.jsonl", lines);
  data_.Write("a.tfrecord", records);
  for (const std::string format :
       {"{type: binary, record_bytes: 8}", "{type: jsonl}", "{type: tfrecord}"}) {
    const std::string type = format.substr(7, format.find_first_of(",}") - 7);
    const DatasetId id =
        Register(fmt::format("path: {}\nfiles: a.{}\nformat: {}\nsettle: 1us\n", data_.path(),
                             type == "binary" ? "bin" : type, format));
    Sync(id);
    const auto before = ColumnsOf(id);
    EXPECT_THAT(before, SizeIs(5)) << format;
    LoseColumnFiles(id);
    EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(9)) << format;
    EXPECT_EQ(ColumnsOf(id), before) << format;
    ASSERT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  }
}

TEST_F(PieceIngestTest, AFailedBatchEndsTheSyncAndTheNextResumesAfterTheLastCommitted) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,0\n5,1\n6,1\n7,1\n8,1\n9,1\n");
  const DatasetId id = Register(SpecText());
  ASSERT_THAT(failpoints::Arm("storage.ingest_after_copy=error:2"), IsOk());
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("storage.ingest_after_copy")));
  failpoints::DisarmAll();
  EXPECT_THAT(Samples(), SizeIs(1));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(9));
  const auto segments = Query("SELECT count(*) FROM storage.segments");
  EXPECT_EQ(std::to_string(NumColumnFiles(id)), segments.front().front());
}

}  // namespace
}  // namespace tidemill::storage::testing
