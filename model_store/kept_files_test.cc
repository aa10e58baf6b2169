#include "model_store/kept_files.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>
#include <system_error>
#include <thread>

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

constexpr Duration kHour{int64_t{3'600} * 1'000'000};

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

  std::string PathOf(const std::string& bytes) const { return folder_ + "/" + Sha256(bytes); }

  // As if it had not been requested for two hours. Makes it when it is not there, whole or not.
  void Age(const std::string& bytes) const {
    std::error_code gone;
    if (!fs::exists(PathOf(bytes))) std::ofstream(PathOf(bytes)) << bytes;
    fs::last_write_time(PathOf(bytes), fs::file_time_type::clock::now() - std::chrono::hours{2},
                        gone);
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

TEST_F(KeptFilesTest, OnlyADigestNamesAFile) {
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
  std::ofstream(PathOf("abc")) << "abd";
  EXPECT_THAT(Read(Sha256("abc")), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST_F(KeptFilesTest, AFileIsSoundWithTheBytesThatItWasSentWithAlone) {
  EXPECT_FALSE(files_->IsSound(Sha256("abc"), 3));
  ASSERT_THAT(Put("abc", "abc"), IsOk());
  EXPECT_TRUE(files_->IsSound(Sha256("abc"), 3));
  EXPECT_FALSE(files_->IsSound(Sha256("abc"), 4)) << "another size was announced";
  for (const char* const rotten : {"abd", "ab", "", "abcd"}) {
    std::ofstream(PathOf("abc")) << rotten;
    EXPECT_FALSE(files_->IsSound(Sha256("abc"), 3)) << rotten;
    ASSERT_THAT(Put("abc", "abc"), IsOk());
    EXPECT_TRUE(files_->IsSound(Sha256("abc"), 3)) << "sent again";
  }
}

TEST_F(KeptFilesTest, OnlyFilesThatNobodyNeedsOrJustSentAreRemoved) {
  for (const char* const bytes : {"old", "kept", "new"}) ASSERT_THAT(Put(bytes, bytes), IsOk());
  for (const char* const bytes : {"old", "kept"}) Age(bytes);
  EXPECT_THAT(files_->Retire({Sha256("kept")}, kHour), IsOkAndHolds(1));
  EXPECT_THAT(files_->Retire({Sha256("kept")}, kHour), IsOkAndHolds(0));
  EXPECT_THAT(files_->Find(Sha256("old")), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(files_->Find(Sha256("kept")), IsOk());
  EXPECT_THAT(files_->Find(Sha256("new")), IsOk());
}

// A caller asks for a file, old each time, while another thread retires it as often as it can: it
// is found or it goes, but not both.
TEST_F(KeptFilesTest, AFileThatSomebodyFoundIsNotRemoved) {
  std::atomic<int64_t> num_passes = 0, num_retired = 0;
  const std::jthread retiring([&](const std::stop_token& stop) {
    for (; !stop.stop_requested(); ++num_passes) num_retired += *files_->Retire({}, kHour);
  });
  int num_lost = 0;
  // It goes twenty times, or less often where the two share a processor.
  for (int round = 0; round < 5'000 && num_retired < 20; ++round) {
    Age("abc");
    if (!files_->Find(Sha256("abc")).ok()) continue;
    // Until the pass that was under way is over.
    const int64_t pass = num_passes;
    while (num_passes == pass) std::this_thread::yield();
    if (!fs::exists(PathOf("abc"))) ++num_lost;
  }
  EXPECT_EQ(num_lost, 0);
}

}  // namespace
}  // namespace tidemill::model_store
