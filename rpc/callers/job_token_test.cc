#include "rpc/callers/job_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "rpc/callers/call_token.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int64_t kMinute = int64_t{60} * 1'000'000;

v1::JobClaims Claims() {
  v1::JobClaims claims;
  claims.set_holder("train-3-7");
  claims.set_expires_at(Now().micros + kMinute);
  claims.set_run_id(3);
  claims.add_dataset_ids(5);
  return claims;
}

TEST(JobToken, CarriesItsClaims) {
  const std::string token = SignJobToken(Claims(), "a secret of the stack");
  EXPECT_TRUE(IsJobToken(token));
  EXPECT_THAT(token, Not(HasSubstr("secret")));
  const auto claims = VerifyJobToken(token, "a secret of the stack");
  ASSERT_THAT(claims, IsOk());
  EXPECT_EQ(claims->holder(), "train-3-7");
  EXPECT_EQ(claims->dataset_ids(0), 5);
}

TEST(JobToken, OfAnotherSecretOrWithOtherClaimsIsRefused) {
  const std::string token = SignJobToken(Claims(), "a secret");
  EXPECT_THAT(VerifyJobToken(token, "another secret"),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("signed")));
  v1::JobClaims more = Claims();
  more.add_dataset_ids(6);
  const std::string other = SignJobToken(more, "a guess");
  const std::string mixed = other.substr(0, other.rfind('.')) + token.substr(token.rfind('.'));
  EXPECT_THAT(VerifyJobToken(mixed, "a secret"),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("signed")));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(VerifyJobToken(changed, "a secret").ok()) << changed;
  }
}

TEST(JobToken, IsSignedByATokenOfTheRoleServiceAndExpires) {
  const testing::TokenFolder folder;
  const Tokens& tokens = folder.tokens();
  EXPECT_THAT(tokens.ClaimsOf(tokens.SignForJob(Claims()).value()), IsOk());
  EXPECT_EQ(tokens.Find(tokens.SignForJob(Claims()).value()), v1::ROLE_UNSPECIFIED);
  EXPECT_FALSE(tokens.ClaimsOf(SignJobToken(Claims(), folder.TokenOf(v1::ROLE_OPERATOR))).ok());
  v1::JobClaims old = Claims();
  old.set_expires_at(Now().micros - 1);
  EXPECT_THAT(tokens.ClaimsOf(tokens.SignForJob(old).value()),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("expired")));
}

// Tokens are exchanged one service after another: a stack knows the old one and the new one.
TEST(JobToken, IsKnownToServicesThatKnowTheTokenThatSignedItBesideOthers) {
  const testing::TokenFolder folder;
  const std::string token = folder.tokens().SignForJob(Claims()).value();
  const std::string path = folder.path() + "/more";
  ASSERT_THAT(files::WriteAtomically(path, "service 0000000000000000000000000000\nservice " +
                                               folder.TokenOf(v1::ROLE_SERVICE) + "\n"),
              IsOk());
  EXPECT_THAT(Tokens::Read(path)->ClaimsOf(token), IsOk());
}

TEST(CallToken, OfAFileIsWhatTheFileHas) {
  const testing::TokenFolder folder;
  const std::string path = folder.path() + "/job";
  EXPECT_THAT(CallToken::OfFile(path), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  ASSERT_THAT(files::WriteAtomically(path, "job.a.b"), IsOk());
  const auto token = CallToken::OfFile(path);
  ASSERT_THAT(token, IsOk());
  EXPECT_EQ(token->Now(), "job.a.b");
  EXPECT_EQ(CallToken("text").Now(), "text");
  EXPECT_EQ(CallToken().Now(), "");
}

}  // namespace
}  // namespace tidemill::rpc
