// Records that do not become samples, and samples without a label, on a real PostgreSQL.
#include "storage/testing/data_folder.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tidemill::testing::IsOk;

class LeftOutTest : public IngestTest {
 protected:
  std::string Spec(const std::string& label, const std::string& rest = "") const {
    return "path: " + data_.path() + "\nfiles: \"*.csv\"\nformat: csv\nlabel: {column: y" + label +
           "}\nevent_time: {column: t, format: unix}\n" + rest;
  }

  DatasetLeftOut LeftOut(DatasetId id) {
    const auto counts = stack_->catalog().Count(id);
    EXPECT_THAT(counts, IsOk());
    return counts->left_out;
  }

  int64_t NumSamples(DatasetId id) { return stack_->catalog().Count(id)->num_samples; }

  // Event time in seconds and class of each sample that is not deleted, by key.
  std::vector<std::vector<std::string>> Labels() {
    return Query(R"(
        SELECT extract(epoch FROM event_time)::bigint, class_label FROM storage.samples s
        WHERE NOT EXISTS (SELECT 1 FROM storage.tombstones t WHERE t.sample_key = s.sample_key)
        ORDER BY s.sample_key)");
  }
};

TEST_F(LeftOutTest, ARecordWhoseLabelIsMissingIsASampleWithoutOne) {
  data_.Write("a.csv", "t,y\n1,1\n2,\n3, na \n4,0\n");
  const DatasetId id = Register(Spec(""));
  Sync(id);
  EXPECT_THAT(Labels(), ElementsAre(ElementsAre("1", "1"), ElementsAre("2", "null"),
                                    ElementsAre("3", "null"), ElementsAre("4", "0")));
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_unlabelled, 2);
  EXPECT_EQ(left_out.num_records, 0);
  EXPECT_EQ(left_out.num_seen, 4);
}

TEST_F(LeftOutTest, BytesAfterPackedDataAreReported) {
  const std::string packed = testing::Gzip("t,y\n1,1\n2,0\n");
  data_.Write("a.csv", packed + std::string(4096, '\0'));
  const DatasetId id = Register(Spec(""));
  Sync(id);
  EXPECT_EQ(NumSamples(id), 2);
  ASSERT_THAT(LeftOut(id).reasons, SizeIs(1));
  EXPECT_EQ(LeftOut(id).reasons[0].first_reason,
            "4096 zeros or blanks follow the packed data; they were not read");
  EXPECT_EQ(LeftOut(id).reasons[0].lost_bytes, 0);
  data_.Write("a.csv", packed + "and more");
  Sync(id);
  EXPECT_EQ(NumSamples(id), 2);
  ASSERT_THAT(LeftOut(id).reasons, SizeIs(1));
  EXPECT_EQ(LeftOut(id).reasons[0].first_reason,
            "8 bytes that cannot be unpacked follow the packed data; they were not read");
  EXPECT_EQ(LeftOut(id).reasons[0].lost_bytes, 8);
}

TEST_F(LeftOutTest, AFileOfManyPiecesThatIsLeftOutAsAWholeNamesItsFirstReason) {
  const IngestorOptions small{.intake = {.samples_per_batch = 4096}};
  Restart(2, small);
  std::string text = "t,y\n";
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i) + ",z\n";
  data_.Write("a.csv", text);
  const DatasetId id = Register(Spec(", classes: [a, b]"));
  const auto reason = [&] {
    const auto entries = stack_->catalog().ListQuarantine(id, 0);
    for (const auto& entry : *entries) {
      if (!entry.position) return entry.reason;
    }
    return std::string();
  };
  SyncAndDieAt(id, "storage.ingest_before_commit", 5, small);
  Restart(2, small);
  Sync(id);
  EXPECT_EQ(reason(), "30000 of 30000 records are bad; record 0: label 'z' is not in classes");
  EXPECT_EQ(NumSamples(id), 0);
}

TEST_F(LeftOutTest, ALabelThatIsNotUtf8IsShownByItsBytes) {
  data_.Write("a.csv", "t,y\n1,a\n2,\xe9\n3,b\n4,a\n");
  const DatasetId id = Register(Spec(", classes: [a, b]"));
  Sync(id);
  ASSERT_THAT(LeftOut(id).reasons, SizeIs(1));
  EXPECT_EQ(LeftOut(id).reasons[0].first_reason, "label '\\xe9' is not in classes");
}

TEST_F(LeftOutTest, MissingLabelsCondemnNoFileHoweverManyTheyAre) {
  std::string text = "t,y\n";
  for (int i = 1; i <= 99; ++i) text += std::to_string(i) + ",\n";
  data_.Write("a.csv", text + "100,1\n");
  const DatasetId id = Register(Spec("", "max_bad_fraction: 0\n"));
  Sync(id);
  EXPECT_EQ(NumSamples(id), 100);
  EXPECT_EQ(LeftOut(id).num_unlabelled, 99);
}

TEST_F(LeftOutTest, UnlabelledSamplesAreDroppedAndCountedWhereTheSpecSaysSo) {
  data_.Write("a.csv", "t,y\n1,1\n2,-1\n3,-1\n4,0\n5\n");
  const DatasetId id =
      Register(Spec(", missing: [\"-1\"], unlabelled: drop", "max_bad_fraction: 0.3\n"));
  Sync(id);
  EXPECT_THAT(Labels(), ElementsAre(ElementsAre("1", "1"), ElementsAre("4", "0")));
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_unlabelled, 0);
  EXPECT_EQ(left_out.num_records, 3);
  EXPECT_EQ(left_out.num_seen, 5);
  ASSERT_THAT(left_out.reasons, SizeIs(2));
  EXPECT_EQ(left_out.reasons[0].pattern, "it has no label");
  EXPECT_TRUE(left_out.reasons[0].wanted);
  EXPECT_EQ(left_out.reasons[0].first_record, 1);
  EXPECT_FALSE(left_out.reasons[1].wanted);
}

TEST_F(LeftOutTest, EveryBadRecordIsCountedByItsReasonThoughOnlySomeAreListed) {
  std::string text = "t,y\n";
  for (int i = 1; i <= 30'000; ++i) {
    text += i % 2 == 0 ? "1,1,1\n" : i % 3 == 0 ? "1,x" + std::to_string(i) + "\n" : "1,1\n";
  }
  data_.Write("a.csv", text);
  const DatasetId id = Register(Spec("", "max_bad_fraction: 0.9\n"));
  Sync(id);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 20'000);
  EXPECT_EQ(left_out.num_seen, 30'000);
  ASSERT_THAT(left_out.reasons, SizeIs(2));
  EXPECT_EQ(left_out.reasons[0].num_records, 15'000);
  EXPECT_EQ(left_out.reasons[0].first_reason, "3 fields where 2 columns are expected");
  EXPECT_EQ(left_out.reasons[0].first_record, 1);
  EXPECT_THAT(left_out.reasons[0].first_path, HasSubstr("a.csv"));
  EXPECT_EQ(left_out.reasons[1].num_records, 5'000);
  EXPECT_EQ(left_out.reasons[1].pattern, "label '...' is not a whole number");
  EXPECT_EQ(left_out.reasons[1].first_reason, "label 'x3' is not a whole number");
  EXPECT_THAT(Query("SELECT count(*) FROM storage.quarantine"), ElementsAre(ElementsAre("10000")));
  // They survive the process that counted them.
  Restart(2);
  EXPECT_EQ(LeftOut(id).num_records, 20'000);
}

TEST_F(LeftOutTest, ThePiecesOfALargeFileAreCountedTogether) {
  std::string text = "t,y\n";
  for (int i = 0; i < 1000; ++i) text += i % 10 == 3 ? "1,x\n" : i % 10 == 4 ? "1,\n" : "1,1\n";
  data_.Write("a.csv", text);
  Restart(2, {.intake = {.samples_per_batch = 64}});
  const DatasetId id = Register(Spec(", unlabelled: drop"));
  Sync(id);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(NumSamples(id), 800);
  EXPECT_EQ(left_out.num_records, 200);
  EXPECT_EQ(left_out.num_seen, 1000);
  ASSERT_THAT(left_out.reasons, SizeIs(2));
  EXPECT_EQ(left_out.reasons[0].num_records, 100);
  EXPECT_EQ(left_out.reasons[1].num_records, 100);
}

TEST_F(LeftOutTest, DroppedSamplesCondemnNoLargeFileThatIsResumed) {
  std::string text = "t,y\n";
  for (int i = 0; i < 1000; ++i) text += i % 10 == 0 ? "1,1\n" : "1,\n";
  data_.Write("a.csv", text);
  const IngestorOptions small{.intake = {.samples_per_batch = 64}};
  const DatasetId id = Register(Spec(", unlabelled: drop", "max_bad_fraction: 0.1\n"));
  SyncAndDieAt(id, "storage.ingest_before_commit", 4, small);
  Restart(2, small);
  Sync(id);
  EXPECT_EQ(NumSamples(id), 100);
  EXPECT_EQ(LeftOut(id).num_records, 900);
}

TEST_F(LeftOutTest, AFileThatIsLeftOutAsAWholeIsCountedWithItsRecordsWhereTheyAreKnown) {
  data_.Write("a.csv", "t,y\n1,1\n2,1\n");
  data_.Write("b.csv", "t,y\n1,x\n2,1\n3,x\n");
  data_.Write("c.csv", "t,z\n1,1\n");
  const DatasetId id = Register(Spec(""));
  Sync(id);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(NumSamples(id), 2);
  EXPECT_EQ(left_out.num_records, 3);
  EXPECT_EQ(left_out.num_files, 1);
  EXPECT_EQ(left_out.num_seen, 5);
  ASSERT_THAT(left_out.reasons, SizeIs(3));
  EXPECT_EQ(left_out.reasons[0].first_reason, "label 'x' is not a whole number");
  EXPECT_EQ(left_out.reasons[0].num_records, 2);
  std::vector<std::string> reasons = {left_out.reasons[1].first_reason,
                                      left_out.reasons[2].first_reason};
  EXPECT_THAT(reasons,
              ::testing::UnorderedElementsAre(HasSubstr("more bad records than max_bad_fraction"),
                                              HasSubstr("the header is [t, z]")));
}

TEST_F(LeftOutTest, WhatWasLeftOutOfAFileIsForgottenOnceItIsFixed) {
  data_.Write("a.csv", "t,y\n1,1\n2\n3,1\n");
  const DatasetId id = Register(Spec(""));
  Sync(id);
  EXPECT_EQ(LeftOut(id).num_records, 1);
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  Sync(id);
  EXPECT_EQ(LeftOut(id).num_records, 0);
  EXPECT_THAT(LeftOut(id).reasons, IsEmpty());
}

TEST_F(LeftOutTest, ARecordWhoseLabelComesLaterIsANewSampleAtTheSameTime) {
  data_.Write("a.csv", "t,y\n1,1\n2,\n3,\n4,0\n");
  const DatasetId id = Register(Spec(""));
  Sync(id);
  data_.Write("a.csv", "t,y\n1,1\n2,1\n3,\n4,0\n");
  Sync(id);
  // The others keep their keys, so the new one is the last.
  EXPECT_THAT(Labels(), ElementsAre(ElementsAre("1", "1"), ElementsAre("3", "null"),
                                    ElementsAre("4", "0"), ElementsAre("2", "1")));
  EXPECT_EQ(LeftOut(id).num_unlabelled, 1);
}

TEST_F(LeftOutTest, AGrownFileAddsToWhatWasLeftOutOfIt) {
  data_.Write("a.csv", "t,y\n1,1\nbad\n2,\n");
  const DatasetId id = Register(Spec("", "append: true\n"));
  Sync(id);
  data_.Write("a.csv", "t,y\n1,1\nbad\n2,\n3,\nbad\n");
  Sync(id);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 2);
  EXPECT_EQ(left_out.num_unlabelled, 2);
  ASSERT_THAT(left_out.reasons, SizeIs(1));
  EXPECT_EQ(left_out.reasons[0].first_record, 1);
}

TEST_F(LeftOutTest, AFileGetsItsLabelOnceItsSidecarIsThere) {
  data_.Write("a.png", "picture a");
  data_.Write("b.png", "picture b");
  data_.Write("b.label", "");
  const DatasetId id =
      Register("path: " + data_.path() + "\nfiles: \"*.png\"\nformat: single_file" +
               "\nlabel: {sidecar: .label}\nevent_time: {row: {start: 2020-01-01, "
               "step: 1s}}\n");
  Sync(id);
  EXPECT_EQ(NumSamples(id), 2);
  EXPECT_EQ(LeftOut(id).num_unlabelled, 2);
  data_.Write("a.label", "1\n");
  Sync(id);
  EXPECT_EQ(NumSamples(id), 2);
  EXPECT_EQ(LeftOut(id).num_unlabelled, 1);
  data_.Write("b.label", "no number\n");
  Sync(id);
  EXPECT_EQ(NumSamples(id), 1);
  EXPECT_EQ(LeftOut(id).num_unlabelled, 0);
  EXPECT_EQ(LeftOut(id).num_records, 1);
  EXPECT_EQ(LeftOut(id).num_seen, 2);
}

TEST_F(LeftOutTest, OfASeriesTheWindowsWithoutALabelAreCounted) {
  data_.Write("a.csv", "t,y\n1,1\n2,\n3,1\n4,NaN\n5,1\n");
  const DatasetId id =
      Register("path: " + data_.path() +
               "\nfiles: \"*.csv\"\nformat: csv\nevent_time: {column: t, format: unix}\n" +
               "series: {history: 2, horizon: 1, step: 1s, target: y}\n");
  Sync(id);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(NumSamples(id), 2);
  EXPECT_EQ(left_out.num_records, 1);
  ASSERT_THAT(left_out.reasons, SizeIs(1));
  EXPECT_TRUE(left_out.reasons[0].wanted);
}

TEST_F(LeftOutTest, OfManyReasonsTheFirstTwentyAreNamedAndAllAreCounted) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(Spec(""));
  Sync(id);
  Query(R"(
      INSERT INTO storage.left_out (file_id, reason, wanted, dataset_id, num_records, num_files,
                                    lost_bytes, num_members, first_record, first_reason)
      SELECT file_id, repeat('x', n), false, dataset_id, 1, 0, 0, 0, n, repeat('x', n)
      FROM storage.files, generate_series(1, 40) AS n)");
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 40);
  ASSERT_THAT(left_out.reasons, SizeIs(20));
  EXPECT_EQ(left_out.reasons.back().pattern, "");
  EXPECT_EQ(left_out.reasons.back().num_records, 21);
}

TEST_F(LeftOutTest, WhatIsLeftOutIsRemovedWithItsDataset) {
  data_.Write("a.csv", "t,y\n1,1\nbad\n");
  Sync(Register(Spec("")));
  ASSERT_THAT(stack_->catalog().Delete("", "d", {}), tidemill::testing::IsOkAndHolds(true));
  EXPECT_THAT(Query("SELECT * FROM storage.left_out"), IsEmpty());
}

}  // namespace
}  // namespace tidemill::storage
