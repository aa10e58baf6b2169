#include "rpc/jobs/job_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "rpc/testing/token_folder.h"

namespace tidemill::rpc {
namespace {

using tidemill::testing::IsOk;

v1::JobClaims ClaimsOf(const std::string& holder) {
  v1::JobClaims claims;
  claims.set_holder(holder);
  claims.add_dataset_ids(5);
  return claims;
}

class JobTokensTest : public ::testing::Test {
 protected:
  JobTokensTest() : tokens_(*JobTokens::Open(folder_.tokens(), Folder())) {}

  std::string Folder() const { return folder_.path() + "/jobs"; }

  testing::TokenFolder folder_;
  std::unique_ptr<JobTokens> tokens_;
};

TEST_F(JobTokensTest, AJobHasATokenUntilItEnds) {
  const std::string path = tokens_->PathOf("train-3-7");
  {
    const auto issued = tokens_->Issue("train-3-7", ClaimsOf("train-3-7"));
    ASSERT_THAT(issued, IsOk());
    struct stat info = {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600);
    const auto claims = folder_.tokens().ClaimsOf(*files::Read(path));
    ASSERT_THAT(claims, IsOk());
    EXPECT_EQ(claims->holder(), "train-3-7");
    EXPECT_EQ(claims->dataset_ids(0), 5);
    EXPECT_GT(claims->expires_at(), Now().micros);
    EXPECT_LE(claims->expires_at(), Now().micros + kJobTokenLife.micros);
  }
  EXPECT_FALSE(files::Exists(path));
}

TEST_F(JobTokensTest, JobsHaveFoldersApart) {
  const auto one = tokens_->Issue("train-3-7", ClaimsOf("train-3-7"));
  const auto other = tokens_->Issue("train-3-8", ClaimsOf("train-3-8"));
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(tokens_->PathOf("train-3-7"), Folder() + "/train-3-7/token");
  EXPECT_NE(*files::Read(tokens_->PathOf("train-3-7")), *files::Read(tokens_->PathOf("train-3-8")));
}

TEST_F(JobTokensTest, WhatAProcessThatWasKilledHasLeftIsRemoved) {
  const auto left = tokens_->Issue("train-3-7", ClaimsOf("train-3-7"));
  ASSERT_THAT(left, IsOk());
  const auto next = JobTokens::Open(folder_.tokens(), Folder());
  ASSERT_THAT(next, IsOk());
  EXPECT_FALSE(files::Exists((*next)->PathOf("train-3-7")));
}

}  // namespace
}  // namespace tidemill::rpc
