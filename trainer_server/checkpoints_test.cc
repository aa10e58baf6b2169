#include "trainer_server/checkpoints.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;

class CheckpointsTest : public ::testing::Test {
 protected:
  CheckpointsTest() {
    char pattern[] = "/tmp/checkpoints-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~CheckpointsTest() override { fs::remove_all(folder_); }

  // The newest first.
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    std::sort(files.rbegin(), files.rend());
    return files;
  }

  std::string folder_;
};

TEST_F(CheckpointsTest, TheLatestIsReadAndTwoAreKept) {
  const Checkpoints checkpoints(folder_);
  EXPECT_FALSE(checkpoints.ReadLatest().value().has_value());
  for (const int64_t batches : {9, 10, 1000}) {
    ASSERT_TRUE(checkpoints.Write({batches, "state " + std::to_string(batches)}).ok());
  }
  EXPECT_EQ(checkpoints.ReadLatest().value()->batches, 1000);
  EXPECT_EQ(checkpoints.ReadLatest().value()->payload, "state 1000");
  EXPECT_EQ(Files().size(), 2u);
}

TEST_F(CheckpointsTest, ATornOrChangedCheckpointGivesWayToTheOneBefore) {
  const Checkpoints checkpoints(folder_);
  ASSERT_TRUE(checkpoints.Write({1, "one"}).ok());
  ASSERT_TRUE(checkpoints.Write({2, "two"}).ok());
  std::ofstream(Files()[0], std::ios::in | std::ios::out).seekp(66).put('W');
  EXPECT_EQ(checkpoints.ReadLatest().value()->payload, "one");
  fs::resize_file(Files()[0], 10);
  EXPECT_EQ(checkpoints.ReadLatest().value()->payload, "one");
  fs::resize_file(Files()[1], 0);
  EXPECT_FALSE(checkpoints.ReadLatest().value().has_value());
}

TEST_F(CheckpointsTest, AFlippedBitAnywhereGivesWayToTheOneBefore) {
  const Checkpoints checkpoints(folder_);
  ASSERT_TRUE(checkpoints.Write({1, "one"}).ok());
  ASSERT_TRUE(checkpoints.Write({2, std::string(200, 'x')}).ok());
  const size_t size = fs::file_size(Files()[0]);
  for (size_t place = 0; place < 10; ++place) {
    std::fstream file(Files()[0], std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(size * place / 10);
    file.seekg(at);
    const auto was = static_cast<char>(file.get());
    file.seekp(at).put(static_cast<char>(was ^ 1 << place % 8)).flush();
    EXPECT_EQ(checkpoints.ReadLatest().value()->payload, "one") << place;
    file.seekp(at).put(was).flush();
  }
  EXPECT_EQ(checkpoints.ReadLatest().value()->batches, 2);
}

TEST_F(CheckpointsTest, WhatAnInterruptedWriteLeftIsNotACheckpoint) {
  const Checkpoints checkpoints(folder_);
  ASSERT_TRUE(checkpoints.Write({1, "one"}).ok());
  fs::copy(Files()[0], folder_ + "/000000000002.checkpoint.new");
  EXPECT_EQ(checkpoints.ReadLatest().value()->batches, 1);
}

}  // namespace
}  // namespace tidemill::trainer_server
