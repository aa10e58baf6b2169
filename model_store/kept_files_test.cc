#include "model_store/kept_files.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::model_store {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

class KeptFilesTest : public ::testing::Test {
 protected:
  static std::string MakeFolder() {
    std::string pattern = ::testing::TempDir() + "/kept-XXXXXX";
    return mkdtemp(pattern.data());
  }
  ~KeptFilesTest() override { fs::remove_all(folder_); }

  absl::Status Put(const std::string& announced, const std::string& sent) {
    ASSIGN_OR_RETURN(const auto file,
                     files_->Begin(Sha256(announced), static_cast<int64_t>(announced.size())));
    for (const char byte : sent) RETURN_IF_ERROR(file->Append({&byte, 1}));
    return file->Finish();
  }

  absl::StatusOr<std::string> Read(const std::string& digest) {
    std::string bytes;
    RETURN_IF_ERROR(files_->Read(digest, [&](std::string_view piece) {
      bytes += piece;
      return absl::OkStatus();
    }));
    return bytes;
  }

  int NumFiles() {
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const std::string folder_ = MakeFolder();
  const absl::StatusOr<KeptFiles> files_ = KeptFiles::Open(folder_);
};

TEST_F(KeptFilesTest, AFileIsFoundByWhatItHolds) {
  ASSERT_THAT(files_, IsOk());
  EXPECT_THAT(files_->Find(Sha256("abc")), StatusIs(absl::StatusCode::kNotFound, _));
  ASSERT_THAT(Put("abc", "abc"), IsOk());
  ASSERT_THAT(Put("abc", "abc"), IsOk());
  EXPECT_THAT(files_->Find(Sha256("abc")), IsOkAndHolds(3));
  EXPECT_THAT(Read(Sha256("abc")), IsOkAndHolds("abc"));
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(KeptFilesTest, OtherBytesThanAnnouncedLeaveNothing) {
  for (const char* const sent : {"ab", "abcd", "abd", ""}) {
    EXPECT_THAT(Put("abc", sent), StatusIs(absl::StatusCode::kDataLoss, _)) << sent;
  }
  EXPECT_EQ(NumFiles(), 0);
}

TEST_F(KeptFilesTest, WhatIsNoDigestNamesNoFile) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  for (const std::string& digest :
       {std::string(), std::string("../token"), std::string(64, 'A'), std::string(65, 'a')}) {
    EXPECT_THAT(files_->Begin(digest, 1), StatusIs(kInvalid, _)) << digest;
    EXPECT_THAT(files_->Find(digest), StatusIs(kInvalid, _)) << digest;
    EXPECT_THAT(Read(digest), StatusIs(kInvalid, _)) << digest;
  }
  EXPECT_THAT(files_->Begin(Sha256("a"), -1), StatusIs(kInvalid, _));
  EXPECT_THAT(files_->Begin(Sha256("a"), (int64_t{1} << 30) + 1),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("1073741824")));
}

TEST_F(KeptFilesTest, AChangedFileIsNotHandedOut) {
  ASSERT_THAT(Put("abc", "abc"), IsOk());
  std::ofstream(folder_ + "/" + Sha256("abc")) << "abd";
  EXPECT_THAT(Read(Sha256("abc")), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST_F(KeptFilesTest, OnlyFilesThatNobodyNeedsOrJustSentAreRemoved) {
  for (const char* const bytes : {"old", "kept", "new"}) ASSERT_THAT(Put(bytes, bytes), IsOk());
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{2};
  for (const char* const bytes : {"old", "kept"}) {
    fs::last_write_time(folder_ + "/" + Sha256(bytes), long_ago);
  }
  const Duration hour{int64_t{3'600} * 1'000'000};
  EXPECT_THAT(files_->Retire({Sha256("kept")}, hour), IsOkAndHolds(1));
  EXPECT_THAT(files_->Retire({Sha256("kept")}, hour), IsOkAndHolds(0));
  EXPECT_THAT(files_->Find(Sha256("old")), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(files_->Find(Sha256("kept")), IsOk());
  EXPECT_THAT(files_->Find(Sha256("new")), IsOk());
}

}  // namespace
}  // namespace tidemill::model_store
