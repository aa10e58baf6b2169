#include "loader/shared/stream_control.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/shared/testing/shared_set.h"

namespace tidemill::loader {
namespace {

using testing::SharedFolder;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

std::unique_ptr<StreamControl> JoinStream(const SharedFolder& folder, const StreamMember& self) {
  auto control = StreamControl::Join(folder.path() + "/stream", self);
  EXPECT_THAT(control, IsOk());
  return control.ok() ? *std::move(control) : nullptr;
}

TEST(StreamControl, MembersSeeOneAnotherUntilTheyLeave) {
  const SharedFolder folder;
  const auto first = JoinStream(folder, {.next = 3, .end = 10});
  EXPECT_TRUE(first->IsAlone());
  auto second = JoinStream(folder, {.next = 5, .end = 20, .is_strict = true});
  ASSERT_EQ(first->Others().size(), 1u);
  EXPECT_EQ(first->Others()[0].next, 5);
  EXPECT_EQ(first->Others()[0].end, 20);
  EXPECT_TRUE(first->Others()[0].is_strict);
  first->SetNext(7);
  EXPECT_EQ(second->Others()[0].next, 7);
  second.reset();
  EXPECT_TRUE(first->IsAlone());
}

TEST(StreamControl, TheLastMemberLeavesNothing) {
  const SharedFolder folder;
  auto first = JoinStream(folder, {});
  auto second = JoinStream(folder, {});
  first.reset();
  EXPECT_FALSE(folder.IsGone());
  second.reset();
  EXPECT_TRUE(folder.IsGone());
}

TEST(StreamControl, AChunkIsClaimedByOneThreadAtATime) {
  const SharedFolder folder;
  const auto first = JoinStream(folder, {});
  const auto second = JoinStream(folder, {});
  auto claim = first->TryClaim(4);
  EXPECT_TRUE(claim.has_value());
  EXPECT_FALSE(first->TryClaim(4).has_value()) << "a thread of the same member";
  EXPECT_FALSE(second->TryClaim(4).has_value());
  EXPECT_TRUE(second->TryClaim(5).has_value());
  claim.reset();
  EXPECT_TRUE(second->TryClaim(4).has_value());
}

TEST(StreamControl, ABellWakesOtherMembers) {
  const SharedFolder folder;
  const auto first = JoinStream(folder, {});
  const auto second = JoinStream(folder, {});
  const uint32_t seen = first->rung();
  std::jthread waiter([&] { first->Await(seen, std::chrono::minutes(10)); });
  second->Ring();
  waiter.join();
  EXPECT_NE(first->rung(), seen);
}

TEST(StreamControl, AKilledProcessIsGoneWithItsClaim) {
  const SharedFolder folder;
  int ready[2] = {-1, -1};
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto control = StreamControl::Join(folder.path() + "/stream", {.end = 9});
    const auto claim = (*control)->TryClaim(0);
    [[maybe_unused]] const ssize_t sent = write(ready[1], "r", 1);
    pause();
    _exit(0);
  }
  char text = 0;
  ASSERT_EQ(read(ready[0], &text, 1), 1);
  const auto self = JoinStream(folder, {});
  EXPECT_EQ(self->Others().size(), 1u);
  EXPECT_FALSE(self->TryClaim(0).has_value());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(self->IsAlone());
  EXPECT_TRUE(self->TryClaim(0).has_value());
  close(ready[0]);
  close(ready[1]);
}

TEST(StreamControl, WhatDeadProcessesLeftIsRemovedAndWhatLivesIsNot) {
  const SharedFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto control = StreamControl::Join(folder.path() + "/dead", {});
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  const auto living = JoinStream(folder, {});
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/dead"));
  RemoveDeadStreams(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/dead"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/stream"));
}

TEST(StreamControl, IsOnlyInAFolderOfThisUserAlone) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  EXPECT_THAT(StreamControl::Join(folder.path() + "/stream", {}),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       ::testing::HasSubstr("is open to other users")));
}

TEST(StreamControl, DoesNotFollowALinkAndRemovesNothingThere) {
  const SharedFolder folder;
  const SharedFolder other;
  std::filesystem::create_directories(other.path() + "/stream");
  std::filesystem::permissions(other.path(), std::filesystem::perms::owner_all);
  std::ofstream(other.path() + "/stream/control") << "";
  std::filesystem::create_symlink(other.path(), folder.path());
  EXPECT_THAT(
      StreamControl::Join(folder.path() + "/stream", {}),
      StatusIs(absl::StatusCode::kPermissionDenied, ::testing::HasSubstr("a symbolic link")));
  RemoveDeadStreams(folder.path());
  EXPECT_TRUE(std::filesystem::exists(other.path() + "/stream/control"));
  // A stream that is one.
  std::filesystem::remove(folder.path());
  std::filesystem::create_directory(folder.path());
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  std::filesystem::create_symlink(other.path(), folder.path() + "/stream");
  EXPECT_THAT(
      StreamControl::Join(folder.path() + "/stream", {}),
      StatusIs(absl::StatusCode::kPermissionDenied, ::testing::HasSubstr("a symbolic link")));
}

TEST(StreamControl, TakesNoMoreMembersThanItHasPlaces) {
  const SharedFolder folder;
  std::vector<std::unique_ptr<StreamControl>> members;
  for (int i = 0; i < StreamControl::kMaxMembers; ++i) members.push_back(JoinStream(folder, {}));
  EXPECT_THAT(StreamControl::Join(folder.path() + "/stream", {}),
              StatusIs(absl::StatusCode::kResourceExhausted, ::testing::_));
  members.pop_back();
  EXPECT_NE(JoinStream(folder, {}), nullptr);
}

}  // namespace
}  // namespace tidemill::loader
