#include "batch/sealed_file.h"

#include <filesystem>
#include <fstream>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"

namespace tidemill::batch {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Rows [from, to) of a key and three numbers.
Batch Rows(int64_t from, int64_t to) {
  std::vector<int64_t> keys(static_cast<size_t>(to - from));
  std::iota(keys.begin(), keys.end(), from);
  std::vector<float> numbers;
  for (const int64_t key : keys) {
    for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<float>(10 * key + i));
  }
  Batch rows(to - from);
  EXPECT_THAT(rows.Set(MakeColumn<int64_t>("key", keys)), IsOk());
  EXPECT_THAT(rows.Set(MakeColumn<float>("numbers", numbers, {3})), IsOk());
  return rows;
}

class SealedFileTest : public ::testing::Test {
 protected:
  // Writes rows [0, num_rows) of `max_rows` in two parts.
  void Write(int64_t num_rows, int64_t max_rows) {
    auto writer = SealedFileWriter::Create(path_, Rows(0, 0), max_rows);
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Append(Rows(0, num_rows / 3)), IsOk());
    ASSERT_THAT((*writer)->Append(Rows(num_rows / 3, num_rows)), IsOk());
    EXPECT_THAT(ReadSealedFile(path_), StatusIs(absl::StatusCode::kDataLoss, _));
    ASSERT_THAT((*writer)->Seal(), IsOk());
  }

  const std::string path_ = ::testing::TempDir() + "sealed_file_test.batch";
};

TEST_F(SealedFileTest, HoldsTheEncodedBatchAndItsDigest) {
  for (const int64_t num_rows : {0, 1, 5, 64, 40'000}) {
    for (const int64_t spare : {0, 1, 7, 100'000}) {
      Write(num_rows, num_rows + spare);
      const std::string encoded = Encode(Rows(0, num_rows));
      EXPECT_EQ(*files::Read(path_), encoded + Sha256(encoded)) << num_rows << " + " << spare;
      const auto file = ReadSealedFile(path_);
      ASSERT_THAT(file, IsOk());
      EXPECT_EQ(Encode(file->batch), encoded);
      EXPECT_EQ(file->digest, Sha256(encoded));
      EXPECT_EQ(file->size_bytes, static_cast<int64_t>(encoded.size()) + 64);
    }
  }
}

TEST_F(SealedFileTest, StaysReadableWhenItIsRemoved) {
  Write(1000, 1000);
  const auto file = ReadSealedFile(path_);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(files::Remove(path_), IsOk());
  EXPECT_EQ(file->batch.keys()[999], 999);
  EXPECT_THAT(ReadSealedFile(path_), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(SealedFileTest, EachChangedByteAndEachCutIsNoticed) {
  Write(20, 20);
  const std::string bytes = *files::Read(path_);
  for (size_t at = 0; at < bytes.size(); at += 13) {
    std::string changed = bytes;
    changed[at] ^= 1;
    ASSERT_THAT(files::WriteAtomically(path_, changed), IsOk());
    EXPECT_THAT(ReadSealedFile(path_), StatusIs(absl::StatusCode::kDataLoss, _)) << at;
    ASSERT_THAT(files::WriteAtomically(path_, bytes.substr(0, at)), IsOk());
    EXPECT_THAT(ReadSealedFile(path_), StatusIs(absl::StatusCode::kDataLoss, _)) << at;
  }
}

TEST_F(SealedFileTest, RefusesMoreRowsThanAnnouncedAndOtherColumns) {
  auto writer = SealedFileWriter::Create(path_, Rows(0, 0), 10);
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT(
      (*writer)->Append(Rows(0, 11)),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("received more rows than the 10")));
  Batch narrow(1);
  ASSERT_THAT(narrow.Set(MakeColumn<int64_t>("key", std::vector<int64_t>{1})), IsOk());
  ASSERT_THAT(narrow.Set(MakeColumn<float>("numbers", std::vector<float>{1, 2}, {2})), IsOk());
  EXPECT_THAT((*writer)->Append(narrow),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the shape of earlier rows")));
}

}  // namespace
}  // namespace tidemill::batch
