#include "selector/training_set_file.h"

#include <filesystem>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

class TrainingSetFile : public ::testing::Test {
 protected:
  TrainingSetFile() {
    EXPECT_THAT(files::CreateFolder(::testing::TempDir() + "training_set_file"), IsOk());
  }
  ~TrainingSetFile() override { EXPECT_THAT(files::Remove(path_), IsOk()); }

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
