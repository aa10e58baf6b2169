#include "rpc/jobs/job_peers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::rpc {
namespace {

using ::testing::_;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

ServiceContext ContextOf(const testing::TokenFolder& folder) {
  ServiceContext context;
  context.tokens = folder.tokens();
  context.cluster.token_file = folder.token_file();
  context.cluster.endpoints = {{"storage", "unix:/run/storage"},
                               {"selector", "unix:/run/selector"}};
  return context;
}

TEST(JobPeers, AreThoseOfTheServiceThatHasTheJobDone) {
  const testing::TokenFolder folder;
  const auto endpoints = EndpointsFor(ContextOf(folder), {"storage"}, {"selector", "preprocess"});
  ASSERT_THAT(endpoints, IsOk());
  EXPECT_EQ(endpoints->DebugString().find(folder.TokenOf(v1::ROLE_SERVICE)), std::string::npos)
      << "a token stays in its file";
  const auto peers = JobPeers::Open(*endpoints);
  ASSERT_THAT(peers, IsOk());
  const auto storage = peers->PeerOf("storage");
  ASSERT_THAT(storage, IsOk());
  EXPECT_EQ(storage->endpoint, "unix:/run/storage");
  EXPECT_EQ(storage->token, folder.TokenOf(v1::ROLE_SERVICE));
  EXPECT_TRUE(peers->Has("selector"));
  EXPECT_FALSE(peers->Has("preprocess"));
  EXPECT_THAT(peers->PeerOf("preprocess"), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST(JobPeers, AServiceThatAJobNeedsHasToBeThere) {
  const testing::TokenFolder folder;
  EXPECT_THAT(EndpointsFor(ContextOf(folder), {"preprocess"}),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(JobPeers::Open({}), StatusIs(absl::StatusCode::kNotFound, _));
}

}  // namespace
}  // namespace tidemill::rpc
