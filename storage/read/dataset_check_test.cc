// What a check finds, on a real PostgreSQL and real files, by content.
#include "storage/read/dataset_check.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using testing::Gzip;
using ::testing::HasSubstr;
using testing::IngestTest;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

class DatasetCheckTest : public IngestTest {
 protected:
  struct Result {
    // Counters of the keys.
    std::vector<int64_t> damaged;
    std::vector<std::string> reasons;
    int64_t num_done = 0;
    int64_t num_samples = 0;
    int64_t num_column_files = 0;
    int64_t num_made_again = 0;
  };

  Result Check(DatasetId id) {
    SampleIndex indexes(stack_->database(), stack_->catalog(), stack_->cache());
    auto index = indexes.Refresh(id);
    EXPECT_THAT(index, IsOk());
    DatasetCheck check(indexes, *index, stack_->cache(), int64_t{1} << 16);
    Result result;
    while (true) {
      const auto step = check.Next();
      EXPECT_THAT(step, IsOk());
      if (!step.ok() || !step->has_value()) return result;
      result.num_done = (*step)->num_done;
      result.num_samples = (*step)->num_samples;
      result.num_column_files = (*step)->num_column_files;
      result.num_made_again = (*step)->num_made_again;
      for (const MissingKey& missing : (*step)->damaged) {
        result.damaged.push_back(missing.key & ((int64_t{1} << kSlotShift) - 1));
        result.reasons.push_back(missing.reason);
      }
    }
  }

  // The column files of a dataset.
  std::vector<std::string> ColumnFiles(DatasetId id) const {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(SegmentFolder(state_.path(), id))) {
      paths.push_back(entry.path().string());
    }
    return paths;
  }

  static void FlipBit(const std::string& path, size_t byte) {
    auto bytes = files::Read(path);
    ASSERT_THAT(bytes, IsOk());
    (*bytes)[byte] = static_cast<char>((*bytes)[byte] ^ 1);
    ASSERT_THAT(files::WriteAtomically(path, *bytes), IsOk());
  }

  // Overwrites bytes in place and puts the file's times back: what a failing disk does.
  void Rot(const std::string& name, size_t at, const std::string& bytes) const {
    const std::string path = data_.path() + "/" + name;
    struct stat before {};
    ASSERT_EQ(stat(path.c_str(), &before), 0);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
    file.close();
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
};

TEST_F(DatasetCheckTest, AnUntouchedDatasetHasNoDamage) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const Result result = Check((Sync(Register(SpecText())).dataset));
  EXPECT_THAT(result.damaged, IsEmpty());
  EXPECT_EQ(result.num_done, 2);
  EXPECT_EQ(result.num_samples, 2);
}

TEST_F(DatasetCheckTest, NamesExactlyTheRecordsWhoseBytesChanged) {
  std::string text = "t,y\n";
  for (int row = 0; row < 20'000; ++row) text += fmt::format("{:05},1\n", row);
  data_.Write("a.csv", text);
  data_.Write("b.csv", "t,y\n7,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  // Rows of 8 bytes after a header of 4: rows 41 and 19,998, counted from 0.
  Rot("a.csv", 4 + 8 * 41, "9");
  Rot("a.csv", 4 + 8 * 19'998 + 6, "0");
  const Result result = Check(id);
  EXPECT_THAT(result.damaged, ElementsAre(42, 19'999));
  EXPECT_EQ(result.num_done, 20'001);
}

TEST_F(DatasetCheckTest, AFileThatWasCutShortLosesItsEnd) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  data_.Write("b.csv", "t,y\n4,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  std::filesystem::resize_file(data_.path() + "/a.csv", 10);  // Within the second record.
  EXPECT_THAT(Check(id).damaged, ElementsAre(2, 3));
}

TEST_F(DatasetCheckTest, AFileThatIsGoneOrCannotBeReadCostsItsSamples) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  data_.Remove("a.csv");
  const Result result = Check(id);
  EXPECT_THAT(result.damaged, ElementsAre(1, 2));
  EXPECT_THAT(result.reasons, ElementsAre(HasSubstr("a.csv"), HasSubstr("a.csv")));
}

TEST_F(DatasetCheckTest, AReplacedFileIsReadAnewThoughStorageHasTheOldOneOpen) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  EXPECT_THAT(Check(id).damaged, IsEmpty());
  data_.Write("other", "t,y\n1,1\n2,1\n");
  std::filesystem::rename(data_.path() + "/other", data_.path() + "/a.csv");
  EXPECT_THAT(Check(id).damaged, ElementsAre(2));
}

TEST_F(DatasetCheckTest, ADeletedSampleIsNotLookedFor) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  const DatasetSnapshot snapshot = Sync(Register(SpecText()));
  const int64_t slot = snapshot.committed_key >> kSlotShift << kSlotShift;
  ASSERT_THAT(stack_->catalog().DeleteSamples(snapshot.dataset, {{slot + 2}}, {}), IsOk());
  Rot("a.csv", 8, "7");  // The deleted sample's time.
  const Result result = Check(snapshot.dataset);
  EXPECT_THAT(result.damaged, IsEmpty());
  EXPECT_EQ(result.num_done, 2);
  EXPECT_EQ(result.num_samples, 2);
}

TEST_F(DatasetCheckTest, ABrokenCompressedFileCostsItsSamples) {
  const std::string packed = Gzip("t,y\n1,1\n2,0\n");
  data_.Write("a.csv", packed);
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  EXPECT_THAT(Check(id).damaged, IsEmpty());
  data_.Write("a.csv", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(Check(id).damaged, ElementsAre(1, 2));
}

TEST_F(DatasetCheckTest, DamagedColumnFilesAreMadeAgainAndCounted) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  EXPECT_EQ(Check(id).num_made_again, 0);
  EXPECT_EQ(Check(id).num_column_files, 2);
  const auto before = Samples();
  const std::vector<std::string> paths = ColumnFiles(id);
  for (size_t i = 0; i < paths.size(); ++i) FlipBit(paths[i], 300 + i);
  const Result result = Check(id);
  EXPECT_THAT(result.damaged, IsEmpty());
  EXPECT_EQ(result.num_made_again, 2);
  EXPECT_EQ(Samples(), before);
  EXPECT_EQ(Check(id).num_made_again, 0);
}

TEST_F(DatasetCheckTest, ADamagedColumnFileWhoseDataHasChangedIsRefusedByName) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  const std::vector<std::string> paths = ColumnFiles(id);
  ASSERT_THAT(paths, ::testing::SizeIs(1));
  FlipBit(paths[0], 300);
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  SampleIndex indexes(stack_->database(), stack_->catalog(), stack_->cache());
  EXPECT_THAT(indexes.Refresh(id),
              tidemill::testing::StatusIs(absl::StatusCode::kDataLoss, HasSubstr(paths[0])));
}

TEST_F(DatasetCheckTest, ColumnFilesOfBeforeGetSumsWhenTheyAreOpenedFirst) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Sync(Register(SpecText())).dataset;
  for (const std::string& path : ColumnFiles(id)) {
    auto bytes = files::Read(path);
    ASSERT_THAT(bytes, IsOk());
    const auto sums = BlockSums::Read(batch::Buffer::FromString(*bytes));
    ASSERT_THAT(sums, IsOk());
    ASSERT_THAT(files::WriteAtomically(path, (*sums)->content().view()), IsOk());
    ASSERT_FALSE(OpenSegmentColumns(path)->has_sums);
  }
  const Result result = Check(id);
  EXPECT_THAT(result.damaged, IsEmpty());
  EXPECT_EQ(result.num_made_again, 0);
  EXPECT_THAT(ColumnFiles(id), ::testing::SizeIs(2));
  for (const std::string& path : ColumnFiles(id)) EXPECT_TRUE(OpenSegmentColumns(path)->has_sums);
}

}  // namespace
}  // namespace tidemill::storage
