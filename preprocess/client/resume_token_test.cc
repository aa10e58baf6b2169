#include "preprocess/client/resume_token.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::preprocess {
namespace {

using ::testing::SizeIs;
using ::tidemill::testing::IsOkAndHolds;

JobSpec SomeJob() {
  return {.run_id = 3, .trigger = 2, .dataset = "d", .graph = "g", .batch_size = 64, .epochs = 5};
}

TEST(ResumeToken, SaysWhereItWasMade) {
  for (const ResumeToken& token :
       {ResumeToken{}, ResumeToken{.done_before = 123'456'789'012},
        ResumeToken{.done_before = 7, .done_beyond = {8, 9, 20, 4000, 4102}}}) {
    const auto text = Encode(token, SomeJob());
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_THAT(DecodeResumeToken(*text, SomeJob()), IsOkAndHolds(token));
  }
}

TEST(ResumeToken, IsSmallHoweverMuchIsDone) {
  ResumeToken token{.done_before = int64_t{1} << 60};
  for (int64_t ahead = 1; ahead < ResumeToken::kMaxBeyond; ahead += 2) {
    token.done_beyond.push_back(token.done_before + ahead);
  }
  const auto text = Encode(token, SomeJob());
  ASSERT_TRUE(text.ok());
  EXPECT_LE(text->size(), ResumeToken::kMaxBytes);
  EXPECT_THAT(DecodeResumeToken(*text, SomeJob()), IsOkAndHolds(token));
}

TEST(ResumeToken, ServesAnyNumberOfLanesAndNoOtherJob) {
  const auto text = Encode({.done_before = 10}, SomeJob());
  JobSpec lanes = SomeJob();
  lanes.num_lanes = 4;
  EXPECT_TRUE(DecodeResumeToken(*text, lanes).ok());
  JobSpec other = SomeJob();
  other.batch_size = 32;
  EXPECT_EQ(DecodeResumeToken(*text, other).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ResumeToken, AnInvalidTokenIsRefused) {
  const std::string good = *Encode({.done_before = 10, .done_beyond = {12}}, SomeJob());
  for (const std::string& text :
       {std::string(), std::string("10"), good + " more", good + "*", good.substr(0, 20),
        good + std::string(2000, 'A'), std::string("\0\1\2", 3)}) {
    EXPECT_FALSE(DecodeResumeToken(text, SomeJob()).ok()) << text;
  }
  const size_t number = good.find(" 10 ");
  EXPECT_FALSE(DecodeResumeToken(good.substr(0, number) + " -1 AA", SomeJob()).ok());
  EXPECT_FALSE(Encode({.done_before = 10, .done_beyond = {9}}, SomeJob()).ok());
  EXPECT_FALSE(Encode({.done_before = 0, .done_beyond = {5000}}, SomeJob()).ok());
}

}  // namespace
}  // namespace tidemill::preprocess
