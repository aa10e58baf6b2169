// Bits that turn in column files while storage is down: what it answers afterwards is what it
// answered before, and it says what it has made again.
#include <filesystem>
#include <fstream>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using testing::ExpectRight;
using testing::GeneratedDataset;
using testing::IsAsExpected;
using testing::Sample;
using testing::Shuffled;
using ::testing::SizeIs;
using testing::Storage;
using tidemill::testing::IsOk;

constexpr int kTurnedBits = 10;

struct Scale {
  const char* name;
  // A small column file is read as a whole when it is opened, a large one is mapped.
  int num_samples;
  GeneratedDataset (*make)(const std::string&, int);
};

class DamagedColumns : public ::testing::TestWithParam<Scale> {
 protected:
  DamagedColumns()
      : dataset_(GetParam().make(storage_.process.data_folder(), GetParam().num_samples)) {
    storage_.Register(dataset_);
    keys_ = storage_.SortedKeys();
    EXPECT_THAT(keys_, SizeIs(dataset_.samples.size()));
  }

  // The largest column file.
  std::string ColumnFile() const {
    std::string largest;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             storage_.process.storage_folder() + "/segments")) {
      if (!entry.is_regular_file()) continue;
      if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) {
        largest = entry.path().string();
      }
    }
    return largest;
  }

  static void Flip(const std::string& path, size_t byte, int bit) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(byte));
    const auto flipped = static_cast<char>(file.get() ^ 1 << bit);
    file.seekp(static_cast<std::streamoff>(byte));
    file.put(flipped);
  }

  // Times and labels of the list, by content.
  void ExpectListsWhatWasIngested() const {
    v1::ListSamplesRequest request = storage_.ListRequest();
    request.set_with_labels(true);
    const auto expected = testing::ByKey(dataset_, keys_);
    const std::vector<Sample> listed = storage_.List(request);
    ASSERT_THAT(listed, SizeIs(keys_.size()));
    for (const Sample& sample : listed) {
      ASSERT_TRUE(expected.contains(sample.key));
      const testing::ExpectedSample& right = *expected.at(sample.key);
      ASSERT_EQ(sample.event_time, right.event_time) << sample.key;
      ASSERT_EQ(sample.class_label, right.class_label) << sample.key;
      ASSERT_EQ(sample.real_label, right.real_label) << sample.key;
    }
  }

  int64_t NumMadeAgain() const {
    int64_t made_again = 0;
    EXPECT_THAT(storage_.operate.CheckDataset(storage_.id,
                                              [&](const v1::CheckDatasetResponse& response) {
                                                EXPECT_EQ(response.damaged_size(), 0);
                                                made_again = response.num_column_files_made_again();
                                                return absl::OkStatus();
                                              }),
                IsOk());
    return made_again;
  }

  Storage storage_;
  const GeneratedDataset dataset_;
  std::vector<int64_t> keys_;
};

TEST_P(DamagedColumns, AreMadeAgainBeforeAnythingOfThemIsAnswered) {
  const std::string file = ColumnFile();
  for (int place = 0; place < kTurnedBits; ++place) {
    storage_.process.Kill();
    const size_t size = std::filesystem::file_size(file);
    Flip(file, size * static_cast<size_t>(2 * place + 1) / (2 * kTurnedBits), place % 8);
    storage_.process.Start();
    if (place % 2 == 0) {
      ExpectListsWhatWasIngested();
      ExpectRight(dataset_, keys_, keys_, storage_.Read(keys_));
    } else {
      const std::vector<int64_t> shuffled = Shuffled(keys_, 1);
      ExpectRight(dataset_, keys_, shuffled, storage_.Read(shuffled));
      ExpectListsWhatWasIngested();
    }
    EXPECT_GE(NumMadeAgain(), 1) << "place " << place;
  }
  storage_.process.Kill();
  storage_.process.Start();
  EXPECT_EQ(NumMadeAgain(), 0) << "the files that were made again are sound";
}

TEST_P(DamagedColumns, AreFoundByACheckWhileStorageHasThemOpen) {
  ExpectListsWhatWasIngested();
  ASSERT_EQ(NumMadeAgain(), 0);
  const std::string file = ColumnFile();
  for (int place = 0; place < kTurnedBits; ++place) {
    const size_t size = std::filesystem::file_size(file);
    Flip(file, size * static_cast<size_t>(2 * place + 1) / (2 * kTurnedBits), place % 8);
    EXPECT_EQ(NumMadeAgain(), place + 1);
    ExpectListsWhatWasIngested();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, DamagedColumns,
                         ::testing::Values(Scale{"Small", 200, testing::MakeCsv},
                                           Scale{"Large", 60'000, testing::MakeCsv},
                                           // Not in the order of time.
                                           Scale{"Overlapping", 60'000, testing::MakeRecords}),
                         [](const auto& scale) { return scale.param.name; });

}  // namespace
}  // namespace tidemill::storage
