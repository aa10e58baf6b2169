// Bytes of files in which no record can be found, on a real PostgreSQL.
#include "fmt/format.h"

#include "storage/testing/ingest_fixture.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage {
namespace {

using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TfRecord;
using tidemill::testing::IsOk;

class LostBytesTest : public IngestTest {
 protected:
  std::string Spec(const std::string& rest = "") const {
    return "path: " + data_.path() +
           "\nformat: tfrecord\nevent_time: {row: {start: 2020-01-01, step: 1s}}\n" + rest;
  }

  DatasetLeftOut LeftOut(DatasetId id) {
    const auto counts = stack_->catalog().Count(id);
    EXPECT_THAT(counts, IsOk());
    return counts->left_out;
  }

  int64_t NumSamples(DatasetId id) { return stack_->catalog().Count(id)->num_samples; }

  // `count` records of 36 bytes each.
  static std::string Records(int count) {
    std::string records;
    for (int i = 0; i < count; ++i) records += TfRecord(fmt::format("record {:13}", i));
    return records;
  }

  // A record of 36 bytes whose length is damaged.
  static std::string Damaged() {
    std::string record = Records(1);
    record[5] = 1;
    return record;
  }
};

TEST_F(LostBytesTest, AreCountedBesideTheRecordsOfTheirDataset) {
  data_.Write("a", Records(3) + Damaged() + Damaged() + Records(5));
  data_.Write("b", Records(2) + Damaged() + Records(1));
  const DatasetId id = Register(Spec());
  Sync(id);
  EXPECT_EQ(NumSamples(id), 11);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 2);
  EXPECT_EQ(left_out.num_seen, 13);
  EXPECT_EQ(left_out.lost_bytes, 3 * 36);
  EXPECT_EQ(left_out.num_bytes, 14 * 36);
  ASSERT_THAT(left_out.reasons, SizeIs(1));
  EXPECT_EQ(left_out.reasons[0].lost_bytes, 3 * 36);
  EXPECT_EQ(left_out.reasons[0].first_record, 3);
  EXPECT_EQ(left_out.reasons[0].first_reason,
            "the length of a record is damaged: 72 bytes from byte 108 on hold no record");
  Restart(2);
  EXPECT_EQ(LeftOut(id).lost_bytes, 3 * 36) << "they survive the process that counted them";
}

TEST_F(LostBytesTest, CondemnAFileAlthoughTheyCountAsOneRecord) {
  data_.Write("a", Records(20) + std::string(100'000, '\x01') + Records(20));
  const DatasetId id = Register(Spec());
  Sync(id);
  EXPECT_EQ(NumSamples(id), 0);
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_FALSE(entries->empty());
  EXPECT_THAT((*entries)[0].reason,
              HasSubstr("1 of 41 records are bad, and 98 KiB of 99 KiB (98.6 %) hold no readable"));
  EXPECT_EQ(LeftOut(id).lost_bytes, 100'000);
  EXPECT_EQ(LeftOut(id).num_records, 41);
}

TEST_F(LostBytesTest, OfTheFirstPiecesCondemnAFileAfterARestart) {
  const IngestorOptions small{.intake = {.samples_per_batch = 16}};
  Restart(2, small);
  data_.Write("a", Records(20) + std::string(9000, '\x01') + Records(100));
  const DatasetId id = Register(Spec("max_bad_fraction: 0.5\n"));
  SyncAndDieAt(id, "storage.ingest_before_commit", 4, small);
  Restart(2, small);
  Sync(id);
  EXPECT_EQ(NumSamples(id), 0);
  EXPECT_EQ(LeftOut(id).num_bytes, 120 * 36 + 9000);
}

TEST_F(LostBytesTest, ZerosAtTheEndOfAFileAreARemarkThatCostsNothing) {
  data_.Write("a", Records(3) + std::string(100'000, '\0'));
  const DatasetId id = Register(Spec("max_bad_fraction: 0\n"));
  Sync(id);
  EXPECT_EQ(NumSamples(id), 3);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 0);
  EXPECT_EQ(left_out.lost_bytes, 0);
  ASSERT_THAT(left_out.reasons, SizeIs(1));
  EXPECT_EQ(left_out.reasons[0].first_reason,
            "the file ends with '100000' zeros, which are not a record");
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(1));
  EXPECT_TRUE((*entries)[0].is_remark);
  EXPECT_EQ(stack_->catalog().Count(id)->num_quarantined, 0) << "a remark quarantines nothing";
}

TEST_F(LostBytesTest, ZerosInHalfOfTheRecordsCondemnNoFile) {
  std::string text = "t,y,x\n";
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("{},{},", i, i % 2);
    text += i % 2 == 0 ? "some text" : std::string("a rather long text \0 with a zero", 32);
    text += '\n';
  }
  data_.Write("a.csv", text + std::string(4096, '\0'));
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_EQ(NumSamples(id), 50);
  const DatasetLeftOut left_out = LeftOut(id);
  EXPECT_EQ(left_out.num_records, 50);
  ASSERT_THAT(left_out.reasons, SizeIs(2));
  EXPECT_EQ(left_out.reasons[0].first_reason, "it has zero bytes");
  EXPECT_EQ(left_out.reasons[1].first_reason,
            "the file ends with 4096 zeros, which are not a record");
}

TEST_F(LostBytesTest, OfZerosInTheFirstPiecesCondemnNoFileAfterARestart) {
  const IngestorOptions small{.intake = {.samples_per_batch = 16}};
  Restart(2, small);
  std::string text = "t,y,x\n";
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("{},1,", i) + std::string(i % 2 == 0 ? 1 : 1000, i % 2 == 0 ? 'a' : '\0') +
            "\n";
  }
  data_.Write("a.csv", text + "100,1,b\n");
  const DatasetId id = Register(SpecText());
  SyncAndDieAt(id, "storage.ingest_before_commit", 4, small);
  Restart(2, small);
  Sync(id);
  EXPECT_EQ(NumSamples(id), 51);
}

TEST_F(LostBytesTest, OfAGrownFileAreCountedOnceAndItsRemarksAreThoseOfTheLastLook) {
  const DatasetId id = Register(Spec("append: true\n"));
  data_.Write("a", Records(3) + Damaged() + Records(1) + Damaged());
  Sync(id);
  EXPECT_EQ(NumSamples(id), 4);
  EXPECT_EQ(LeftOut(id).lost_bytes, 36);
  EXPECT_EQ(LeftOut(id).num_bytes, 6 * 36);
  EXPECT_THAT(LeftOut(id).reasons, SizeIs(2)) << "a loss and a remark";
  data_.Write("a", Records(3) + Damaged() + Records(1) + Damaged() + Damaged());
  Sync(id);
  EXPECT_EQ(LeftOut(id).lost_bytes, 36);
  EXPECT_THAT(LeftOut(id).reasons, SizeIs(2));
  data_.Write("a", Records(3) + Damaged() + Records(1) + Damaged() + Damaged() + Records(4));
  Sync(id);
  EXPECT_EQ(NumSamples(id), 8);
  EXPECT_EQ(LeftOut(id).lost_bytes, 3 * 36);
  EXPECT_EQ(LeftOut(id).num_records, 2);
  EXPECT_EQ(LeftOut(id).num_bytes, 11 * 36);
  EXPECT_THAT(LeftOut(id).reasons, SizeIs(1)) << "the remark is gone";
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  for (const auto& entry : *entries) {
    EXPECT_FALSE(entry.is_remark);
  }
  data_.Write("a", Records(9));
  Sync(id);
  EXPECT_EQ(LeftOut(id).lost_bytes, 0);
  EXPECT_THAT(LeftOut(id).reasons, IsEmpty());
}

TEST_F(LostBytesTest, AFileThatIsLeftOutAsAWholeLosesAllItsBytes) {
  data_.Write("a.csv", "t,z\n1,1\n");
  data_.Write("b.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_EQ(LeftOut(id).num_files, 1);
  EXPECT_EQ(LeftOut(id).lost_bytes, 8);
  EXPECT_EQ(LeftOut(id).num_bytes, 16);
}

TEST(LostBytesMigration, TakesTheSizesOfFilesThatWereReadBefore) {
  const db::testing::TestDatabase postgres;
  const auto database = db::Database::Connect(postgres.connection_string());
  ASSERT_THAT(database, IsOk());
  const std::span<const db::Migration> all = Migrations();
  ASSERT_THAT(db::Migrate(**database, "storage", all.first(4)), IsOk());
  ASSERT_THAT((*database)->Transact([](pqxx::work& work) {
    work.exec0(
        "INSERT INTO storage.datasets (namespace, name, registered_spec, spec) "
        "VALUES ('', 'd', '', '')");
    work.exec0(
        "INSERT INTO storage.files (file_id, dataset_id, path, size_bytes, modified_at, "
        "fingerprint, bytes_done, records_done, state) "
        "VALUES (1, 1, '/a', 100, now(), 0, 90, 3, 'ingested'), "
        "(2, 1, '/a.gz', 10, now(), 0, 80, 3, 'ingested'), "
        "(3, 1, '/gone', 7, now(), 0, 7, 1, 'vanished')");
    work.exec0(
        "INSERT INTO storage.left_out (file_id, reason, wanted, dataset_id, num_records, "
        "num_files, first_reason) VALUES (1, 'odd', false, 1, 2, 0, 'odd')");
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(db::Migrate(**database, "storage", all), IsOk());
  DatasetLeftOut left_out;
  ASSERT_THAT((*database)->Transact([&](pqxx::work& work) {
    left_out = left_out_table::Read(work, DatasetId{1});
    return absl::OkStatus();
  }),
              IsOk());
  EXPECT_EQ(left_out.num_bytes, 180);
  EXPECT_EQ(left_out.lost_bytes, 0);
  EXPECT_EQ(left_out.num_records, 2);
}

}  // namespace
}  // namespace tidemill::storage
