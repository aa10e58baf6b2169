#include "rpc/jobs/job_peers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "rpc/jobs/job_tokens.h"
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
  auto endpoints = EndpointsFor(ContextOf(folder), {"storage"}, {"selector", "preprocess"});
  ASSERT_THAT(endpoints, IsOk());
  EXPECT_EQ(endpoints->token_file(), "") << "a job gets no token of a service";
  const auto tokens = JobTokens::Open(folder.tokens(), folder.path() + "/jobs");
  ASSERT_THAT(tokens, IsOk());
  v1::JobClaims claims;
  claims.set_holder("train-3-7");
  const auto issued = (*tokens)->Issue("train-3-7", claims);
  ASSERT_THAT(issued, IsOk());
  endpoints->set_token_file((*tokens)->PathOf("train-3-7"));
  const auto peers = JobPeers::Open(*endpoints);
  ASSERT_THAT(peers, IsOk());
  const auto storage = peers->PeerOf("storage");
  ASSERT_THAT(storage, IsOk());
  EXPECT_EQ(storage->endpoint, "unix:/run/storage");
  const auto shown = folder.tokens().ClaimsOf(storage->token.Now());
  ASSERT_THAT(shown, IsOk());
  EXPECT_EQ(shown->holder(), "train-3-7");
  EXPECT_EQ(peers->TokenFolder(), folder.path() + "/jobs/train-3-7");
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
