#include "prepared/claims.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "base/testing/temp_folder.h"

namespace tidemill::prepared {
namespace {

class ClaimsTest : public ::testing::Test {
 protected:
  const tidemill::testing::TempFolder folder_;
  const std::unique_ptr<Claims> claims_ = Claims::Open(folder_.path());
};

TEST_F(ClaimsTest, HoldUntilTheyAreReleased) {
  const uint64_t name = Claims::NameOf("point", {7, 1});
  EXPECT_TRUE(claims_->TryClaim(name));
  EXPECT_FALSE(claims_->TryClaim(name));
  EXPECT_TRUE(claims_->IsClaimed(name));
  claims_->Release(name);
  EXPECT_FALSE(claims_->IsClaimed(name));
  EXPECT_TRUE(claims_->TryClaim(name));
}

TEST_F(ClaimsTest, AreOfAPointAKeyAndARecord) {
  EXPECT_TRUE(claims_->TryClaim(Claims::NameOf("point", {7, 1})));
  EXPECT_TRUE(claims_->TryClaim(Claims::NameOf("other", {7, 1})));
  EXPECT_TRUE(claims_->TryClaim(Claims::NameOf("point", {8, 1})));
  EXPECT_TRUE(claims_->TryClaim(Claims::NameOf("point", {7, 2})));
}

TEST_F(ClaimsTest, OfAnotherProcessHoldToo) {
  const uint64_t name = Claims::NameOf("point", {7, 1});
  const pid_t process = fork();
  if (process == 0) {
    const auto claims = Claims::Open(folder_.path());
    _exit(claims != nullptr && claims->TryClaim(name) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
  // The process has ended without a release: the claim holds for a while.
  EXPECT_FALSE(claims_->TryClaim(name));
}

TEST_F(ClaimsTest, AreGivenToOneOfManyThreads) {
  constexpr int kThreads = 8;
  constexpr int64_t kNames = 2'000;
  std::vector<std::atomic<int>> given(kNames);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int64_t key = 0; key < kNames; ++key) {
          if (claims_->TryClaim(Claims::NameOf("point", {key, 1}))) ++given[key];
        }
      });
    }
  }
  for (const std::atomic<int>& one : given) EXPECT_EQ(one, 1);
}

TEST_F(ClaimsTest, ThatFindNoPlaceAreGivenNevertheless) {
  for (int64_t key = 0; key < 300'000; ++key) {
    EXPECT_TRUE(claims_->TryClaim(Claims::NameOf("point", {key, 1})));
  }
}

TEST(Claims, AreNotThereWhereTheFolderCannotBe) { EXPECT_EQ(Claims::Open("/proc/none"), nullptr); }

}  // namespace
}  // namespace tidemill::prepared
