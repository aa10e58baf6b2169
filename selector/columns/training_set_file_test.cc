#include "selector/columns/training_set_file.h"

#include <filesystem>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"

namespace tidemill::selector {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

class TrainingSetFile : public ::testing::Test {
 protected:
  TrainingSetFile() {
    EXPECT_THAT(files::CreateFolder(::testing::TempDir() + "training_set_file"), IsOk());
  }
  ~TrainingSetFile() override {
    EXPECT_THAT(files::Remove(::testing::TempDir() + "training_set_file"), IsOk());
  }

  const std::string path_ = ::testing::TempDir() + "training_set_file/1.batch";
};

TEST_F(TrainingSetFile, GivesBackAHundredThousandKeysEachWithItsWeight) {
  std::vector<int64_t> keys;
  std::vector<float> weights;
  for (int64_t i = 0; i < 100'000; ++i) {
    keys.push_back((int64_t{5} << 44) + (i * 7919) % 100'003);
    weights.push_back(static_cast<float>((i * 7919) % 100'003) / 16);
  }
  const auto digest = WriteTrainingSet(path_, {.keys = keys, .weights = weights});
  ASSERT_THAT(digest, IsOk());
  const auto entries = ReadTrainingSet(path_, *digest);
  ASSERT_THAT(entries, IsOk());
  const auto read_weights = entries->Find(batch::kWeightColumn)->Values<float>();
  ASSERT_EQ(entries->num_rows(), 100'000);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(entries->keys()[i], keys[i]);
    ASSERT_EQ(read_weights[i], static_cast<float>(keys[i] - (int64_t{5} << 44)) / 16);
  }
}

TEST_F(TrainingSetFile, HasNoWeightsWhenEachIsOne) {
  const std::vector<int64_t> keys = {3, 3, 1};
  const auto digest = WriteTrainingSet(path_, {.keys = keys, .weights = {}});
  ASSERT_THAT(digest, IsOk());
  const auto entries = ReadTrainingSet(path_, *digest);
  ASSERT_THAT(entries, IsOk());
  EXPECT_THAT(entries->keys(), ::testing::ElementsAre(3, 3, 1));
  EXPECT_EQ(entries->Find(batch::kWeightColumn), nullptr);
}

TEST_F(TrainingSetFile, IsAnEncodedBatchAndItsDigest) {
  const std::vector<int64_t> keys = {10, 20, 30};
  const std::vector<float> weights = {1, 2, 3};
  for (const size_t count : {size_t{0}, size_t{1}, size_t{3}}) {
    for (const bool weighted : {false, true}) {
      const auto some_keys = std::span(keys).first(count);
      const auto some_weights = std::span(weights).first(weighted ? count : 0);
      batch::Batch batch(static_cast<int64_t>(count));
      ASSERT_THAT(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, some_keys)), IsOk());
      if (!some_weights.empty()) {
        ASSERT_THAT(batch.Set(batch::MakeColumn<float>(batch::kWeightColumn, some_weights)),
                    IsOk());
      }
      const std::string encoded = batch::Encode(batch);
      const auto digest = WriteTrainingSet(path_, {.keys = some_keys, .weights = some_weights});
      ASSERT_THAT(digest, IsOkAndHolds(Sha256(encoded)));
      EXPECT_THAT(files::Read(path_), IsOkAndHolds(encoded + *digest));
    }
  }
}

TEST_F(TrainingSetFile, IsNotThereBeforeItIsPublished) {
  const std::string folder = ::testing::TempDir() + "training_set_file/unsealed";
  ASSERT_THAT(files::CreateFolder(folder), IsOk());
  {
    TrainingSetWriter writer(folder);
    ASSERT_THAT(writer.Open(/*weighted=*/true), IsOk());
    ASSERT_THAT(writer.AddKeys({{1, 2}}), IsOk());
    ASSERT_THAT(writer.AddWeights({{1.5F}}), IsOk());
    EXPECT_THAT(writer.Seal(),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("2 keys")));
    EXPECT_FALSE(std::filesystem::is_empty(folder));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  // What a process that was killed left behind goes when the next one starts.
  ASSERT_THAT(files::WriteAtomically(folder + "/.unsealed.AbCdEf", "half"), IsOk());
  ASSERT_THAT(files::WriteAtomically(folder + "/1.batch", "whole"), IsOk());
  EXPECT_THAT(TemporaryFile::RemoveLeftovers(folder), IsOk());
  EXPECT_FALSE(files::Exists(folder + "/.unsealed.AbCdEf"));
  EXPECT_TRUE(files::Exists(folder + "/1.batch"));
}

TEST_F(TrainingSetFile, RefusesEveryFlippedBit) {
  const std::vector<int64_t> keys = {10, 20};
  const auto digest = WriteTrainingSet(path_, {.keys = keys, .weights = {}});
  ASSERT_THAT(digest, IsOk());
  const auto sound = files::Read(path_);
  ASSERT_THAT(sound, IsOk());
  for (size_t byte = 0; byte < sound->size(); ++byte) {
    std::string damaged = *sound;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
    ASSERT_THAT(files::WriteAtomically(path_, damaged), IsOk());
    ASSERT_THAT(ReadTrainingSet(path_, *digest),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path_)))
        << "byte " << byte;
  }
}

TEST_F(TrainingSetFile, RefusesAnotherSetThatIsSoundInItself) {
  const std::vector<int64_t> keys = {10, 20};
  const std::vector<int64_t> other_keys = {10, 21};
  const auto digest = WriteTrainingSet(path_, {.keys = keys, .weights = {}});
  ASSERT_THAT(WriteTrainingSet(path_, {.keys = other_keys, .weights = {}}), IsOk());
  EXPECT_THAT(ReadTrainingSet(path_, *digest),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("")));
  EXPECT_THAT(files::WriteAtomically(path_, "short"), IsOk());
  EXPECT_THAT(ReadTrainingSet(path_, *digest),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut short")));
}

}  // namespace
}  // namespace tidemill::selector
