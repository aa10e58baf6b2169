#include "trainer_server/known_threads.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"
#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

class KnownThreadsTest : public ::testing::Test {
 protected:
  KnownThreadsTest() {
    char pattern[] = "/tmp/known-threads-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~KnownThreadsTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(KnownThreadsTest, ANumberIsKnownAlsoAfterARestart) {
  KnownThreads known(folder_);
  EXPECT_EQ(known.Find("a"), 0);
  EXPECT_TRUE(known.Remember("a", 16).ok());
  EXPECT_TRUE(known.Remember("b", 4).ok());
  EXPECT_TRUE(known.Remember("a", 8).ok());
  EXPECT_EQ(known.Find("a"), 8);
  KnownThreads restarted(folder_);
  EXPECT_EQ(restarted.Find("a"), 8);
  EXPECT_EQ(restarted.Find("b"), 4);
}

TEST_F(KnownThreadsTest, TheKindsThatCameFirstAreForgotten) {
  KnownThreads known(folder_);
  for (int kind = 0; kind < 300; ++kind) {
    ASSERT_TRUE(known.Remember(fmt::format("kind-{}", kind), 3).ok());
  }
  EXPECT_EQ(known.Find("kind-43"), 0);
  EXPECT_EQ(known.Find("kind-44"), 3);
  EXPECT_EQ(known.Find("kind-299"), 3);
}

TEST_F(KnownThreadsTest, ADamagedFileIsAsNone) {
  EXPECT_TRUE(KnownThreads(folder_).Remember("a", 16).ok());
  std::ofstream(folder_ + "/known_threads.json") << "{";
  KnownThreads known(folder_);
  EXPECT_EQ(known.Find("a"), 0);
  EXPECT_TRUE(known.Remember("a", 2).ok());
  EXPECT_EQ(KnownThreads(folder_).Find("a"), 2);
}

TEST(KindOfTraining, IsItsGraphAndItsMachineNotItsTrigger) {
  v1::StartTrainingRequest request;
  request.set_graph("- label: {into: target}");
  const std::string kind = KindOf(request, 2);
  v1::StartTrainingRequest later = request;
  later.set_trigger(7);
  later.set_parent_model_id(3);
  EXPECT_EQ(KindOf(later, 2), kind);
  EXPECT_NE(KindOf(request, 4), kind);
  later.set_graph("- cast: {}");
  EXPECT_NE(KindOf(later, 2), kind);
  v1::StartTrainingRequest moved;
  moved.set_model("- label: {into: target}");
  EXPECT_NE(KindOf(moved, 2), kind);
}

}  // namespace
}  // namespace tidemill::trainer_server
