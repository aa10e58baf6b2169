#include "preprocess/client/job_samples.h"

#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using ::tidemill::testing::StatusIs;

TEST(JobSamples, KeysComeBackInTheirOrder) {
  const std::vector<int64_t> keys = {
      7, 3, 3, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 0};
  const auto samples = SamplesWithKeys(keys);
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(KeysOf(*samples), keys);
  EXPECT_EQ(ChosenOf(*samples, 10).value(), nullptr);
}

TEST(JobSamples, ChosenSamplesComeBackWithTheirWeights) {
  const loader::Subset chosen{.ordinals = {0, 4, 5, 9}, .weights = {1, 0.5, 2, 0.25}};
  const auto samples = ChosenSamples(chosen);
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(*ChosenOf(*samples, 10).value(), chosen);
  EXPECT_TRUE(KeysOf(*samples).empty());
}

TEST(JobSamples, NeighboursTakeAByteEach) {
  std::vector<int64_t> keys;
  for (int64_t key = 5'000'000; key < 5'100'000; ++key) keys.push_back(key);
  EXPECT_LT(SamplesWithKeys(keys)->ByteSizeLong(), keys.size() + 100);
}

TEST(JobSamples, MoreThanAJobCanNameAreRefused) {
  const std::vector<int64_t> keys(static_cast<size_t>(kMaxJobSamplesBytes) + 1, 1);
  EXPECT_THAT(SamplesWithKeys(keys), StatusIs(absl::StatusCode::kResourceExhausted, _));
}

TEST(JobSamples, OrdinalsOutsideTheSetAreRefused) {
  const auto samples = ChosenSamples({.ordinals = {2, 10}});
  ASSERT_TRUE(samples.ok());
  EXPECT_THAT(ChosenOf(*samples, 10), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_TRUE(ChosenOf(*samples, 11).ok());
}

TEST(JobSamples, OrdinalsThatDoNotAscendAreRefused) {
  const auto samples = ChosenSamples({.ordinals = {2, 2}});
  ASSERT_TRUE(samples.ok());
  EXPECT_THAT(ChosenOf(*samples, 10), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST(JobSamples, WeightsOfOtherNumberAreRefused) {
  const auto samples = ChosenSamples({.ordinals = {2, 3}, .weights = {1}});
  ASSERT_TRUE(samples.ok());
  EXPECT_THAT(ChosenOf(*samples, 10), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

}  // namespace
}  // namespace tidemill::preprocess
