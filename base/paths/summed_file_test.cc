#include "base/paths/summed_file.h"

#include <unistd.h>

#include <filesystem>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::files {
namespace {

using ::testing::_;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

class SummedFile : public ::testing::Test {
 protected:
  SummedFile() : path_(fmt::format("{}/summed_{}", ::testing::TempDir(), getpid())) {}
  ~SummedFile() override { std::filesystem::remove(path_); }

  const std::string path_;
};

TEST_F(SummedFile, GivesBackWhatWasWritten) {
  for (const std::string& bytes : {std::string(), std::string("{}"), std::string(100'000, '\n')}) {
    ASSERT_THAT(WriteSummed(path_, bytes), IsOk());
    EXPECT_THAT(ReadSummed(path_, 200'000), IsOkAndHolds(bytes));
  }
}

TEST_F(SummedFile, AFlippedBitIsFoundOrLeavesMoreThanWasWritten) {
  const std::string bytes = "{\"seed\": 42}";
  ASSERT_THAT(WriteSummed(path_, bytes), IsOk());
  const auto whole = Read(path_);
  ASSERT_THAT(whole, IsOk());
  for (size_t bit = 0; bit < 8 * whole->size(); ++bit) {
    std::string flipped = *whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ASSERT_THAT(WriteAtomically(path_, flipped), IsOk());
    const auto read = ReadSummed(path_, 1000);
    if (!read.ok()) {
      EXPECT_THAT(read, StatusIs(absl::StatusCode::kDataLoss, _));
    } else {
      EXPECT_EQ(*read, flipped) << "bit " << bit;  // The line was hit.
      EXPECT_TRUE(read->starts_with(bytes)) << "bit " << bit;
    }
  }
}

TEST_F(SummedFile, AFileOfAnEarlierVersionIsReadUnchanged) {
  ASSERT_THAT(WriteAtomically(path_, "{}"), IsOk());
  EXPECT_THAT(ReadSummed(path_, 1000), IsOkAndHolds("{}"));
  EXPECT_THAT(ReadSummed(path_ + "x", 1000), StatusIs(absl::StatusCode::kNotFound, _));
}

}  // namespace
}  // namespace tidemill::files
