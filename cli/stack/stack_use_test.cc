#include "cli/stack/stack_use.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

class StackUseTest : public ::testing::Test {
 protected:
  StackUseTest() {
    std::string pattern = fs::temp_directory_path() / "stack-use-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    layout_.state_folder = folder_;
    layout_.database_folder = folder_ / "postgres";
  }
  ~StackUseTest() override { fs::remove_all(folder_); }

  std::unique_ptr<StackUse> Begin() const { return StackUse::Begin(layout_).value(); }
  void MarkForNow() const { std::ofstream(folder_ / "stack.for_now") << ""; }

  fs::path folder_;
  StackLayout layout_;
};

TEST_F(StackUseTest, OnlyTheLastUserOfAStackThatIsThereForNowEndsIt) {
  MarkForNow();
  auto first = Begin();
  auto second = Begin();
  EXPECT_FALSE(first->IsLast());
  EXPECT_TRUE(second->IsLast());  // The first gave up its part when it asked.
}

TEST_F(StackUseTest, AStackThatIsKeptIsEndedByNoUser) {
  MarkForNow();
  const auto use = Begin();
  EXPECT_TRUE(use->Keep().ok());
  EXPECT_FALSE(use->IsLast());
}

TEST_F(StackUseTest, ANewUserWaitsWhileTheLastOneEndsTheStack) {
  MarkForNow();
  auto last = Begin();
  ASSERT_TRUE(last->IsLast());
  auto next = std::async(std::launch::async, [this] { return Begin() != nullptr; });
  EXPECT_TRUE(last->End().ok());
  EXPECT_FALSE(fs::exists(folder_ / "stack.for_now"));
  last.reset();
  EXPECT_TRUE(next.get());
}

TEST_F(StackUseTest, AStackHasRunWhereItsDatabaseIs) {
  EXPECT_FALSE(HasRun(layout_));
  fs::create_directory(layout_.database_folder);
  EXPECT_TRUE(HasRun(layout_));
}

}  // namespace
}  // namespace tidemill::cli
