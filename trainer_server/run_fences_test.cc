#include "trainer_server/run_fences.h"

#include <stdlib.h>

#include <filesystem>

#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

rpc::v1::Command CommandOf(int64_t run, int64_t epoch) {
  rpc::v1::Command command;
  command.set_run_id(run);
  command.set_run_epoch(epoch);
  return command;
}

TEST(RunFences, AnOlderEpochIsRefusedAlsoAfterARestart) {
  char pattern[] = "/tmp/fences-XXXXXX";
  const std::string folder = mkdtemp(pattern);
  {
    RunFences fences(folder);
    EXPECT_TRUE(fences.Check(CommandOf(1, 3)).ok());
    EXPECT_TRUE(fences.Check(CommandOf(1, 3)).ok());
    EXPECT_EQ(fences.Check(CommandOf(1, 2)).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(fences.Check(CommandOf(2, 1)).ok());
  }
  RunFences restarted(folder);
  EXPECT_EQ(restarted.Check(CommandOf(1, 2)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(restarted.Check(CommandOf(1, 4)).ok());
  EXPECT_EQ(restarted.Check(CommandOf(1, 3)).code(), absl::StatusCode::kFailedPrecondition);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tidemill::trainer_server
