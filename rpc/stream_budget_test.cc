#include "rpc/stream_budget.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr StreamLimits kLimits{
    .max_streams = 6, .max_streams_per_caller = 4, .memory = {16 * kMiB}};

class StreamBudgetTest : public ::testing::Test {
 protected:
  StreamPermit Admit(const std::string& peer) {
    auto permit = budget_.Admit(peer, 0);
    EXPECT_THAT(permit, IsOk());
    return *std::move(permit);
  }

  StreamBudget budget_{kLimits};
};

TEST_F(StreamBudgetTest, RefusesMoreStreamsThanThereMayBeAndSaysWhatToDo) {
  std::vector<StreamPermit> open;
  for (int i = 0; i < 3; ++i) open.push_back(Admit("ipv4:10.0.0.1:1"));
  for (int i = 0; i < 3; ++i) open.push_back(Admit("ipv4:10.0.0.2:1"));
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.3:1", 0),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("6 streams"), HasSubstr("cluster.streams.max_streams "),
                             HasSubstr("cancel them"))));
  open.pop_back();
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.3:1", 0), IsOk()) << "there is room again";
}

TEST_F(StreamBudgetTest, CountsAHostAsOneCallerWhateverItsPorts) {
  std::vector<StreamPermit> open;
  for (int i = 0; i < 4; ++i) open.push_back(Admit("ipv4:10.0.0.1:" + std::to_string(i)));
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.1:9", 0),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("cluster.streams.max_streams_per_caller")));
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.2:9", 0), IsOk()) << "another host";
}

TEST_F(StreamBudgetTest, LimitsTheStreamsOfAMethodThatHoldsThreads) {
  StreamBudget budget({.max_streams_per_method = 4});
  const std::string peer = "unix:";
  std::vector<StreamPermit> open;
  for (int i = 0; i < 4; ++i) open.push_back(*budget.AdmitHandler(peer, "ListQuarantine"));
  EXPECT_THAT(budget.AdmitHandler(peer, "ListQuarantine"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("4 streams of ListQuarantine"),
                             HasSubstr("cluster.streams.max_streams_per_method"))));
  EXPECT_THAT(budget.AdmitHandler(peer, "SyncDataset"), IsOk()) << "another method";
  EXPECT_THAT(budget.Admit(peer, 0), IsOk()) << "one that holds no thread";
  open.pop_back();
  EXPECT_THAT(budget.AdmitHandler(peer, "ListQuarantine"), IsOk()) << "there is room again";
}

TEST_F(StreamBudgetTest, LimitsMethodsThatCostMoreToFewer) {
  const auto first = budget_.AdmitHandler("unix:", "WatchBacktest", 2);
  const auto second = budget_.AdmitHandler("unix:", "WatchBacktest", 2);
  EXPECT_THAT(second, IsOk());
  EXPECT_THAT(
      budget_.AdmitHandler("unix:", "WatchBacktest", 2),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2 calls of WatchBacktest run")));
}

TEST_F(StreamBudgetTest, GivesThePlaceOfAStreamWhoseCallerIsSilentToAnother) {
  StreamBudget budget({.longest_silence = {0}});
  int num_cancelled = 0;
  const auto admit = [&] {
    return budget.AdmitHandler("unix:", "WatchBacktest", 2, [&] { ++num_cancelled; });
  };
  auto first = admit();
  auto second = admit();
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT(first->Hold(4 * kMiB), IsOk());
  EXPECT_THAT(admit(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2 calls")))
      << "both are at work";
  const StreamPermit::Waiting waits(*first);
  EXPECT_THAT(admit(), IsOk());
  EXPECT_EQ(num_cancelled, 1);
  EXPECT_EQ(budget.num_bytes(), 0) << "its memory is free as well";
  EXPECT_THAT(first->Hold(kMiB), StatusIs(absl::StatusCode::kCancelled, HasSubstr("silent")));
  EXPECT_EQ(budget.num_streams(), 1) << "the third one has left, too";
}

TEST_F(StreamBudgetTest, LeavesASilentStreamAloneUntilItsTimeIsUpOrItsPlaceIsWanted) {
  StreamBudget patient({.longest_silence = {3'600'000'000}});
  const auto none = [] {};
  auto silent = patient.AdmitHandler("unix:", "WatchBacktest", 1, none);
  const StreamPermit::Waiting waits(*silent);
  EXPECT_THAT(patient.AdmitHandler("unix:", "WatchBacktest", 1, none),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("1 calls")));
  StreamBudget roomy({.longest_silence = {0}});
  auto idle = roomy.AdmitHandler("unix:", "WatchBacktest", 2, none);
  const StreamPermit::Waiting waits_too(*idle);
  EXPECT_THAT(roomy.AdmitHandler("unix:", "WatchBacktest", 2, none), IsOk());
  EXPECT_THAT(idle->Hold(kMiB), IsOk());
}

TEST_F(StreamBudgetTest, RefusesRequestsThatDoNotFitAndLeavesHalfToOtherHosts) {
  auto first = budget_.Admit("ipv4:10.0.0.1:1", 7 * kMiB);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.1:2", 2 * kMiB),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("cluster.streams.memory")));
  EXPECT_EQ(budget_.num_streams(), 1) << "who was refused takes no place";
  EXPECT_EQ(budget_.num_bytes(), 7 * kMiB) << "nor any bytes";
  EXPECT_THAT(budget_.Admit("ipv4:10.0.0.2:1", 7 * kMiB), IsOk());
}

TEST_F(StreamBudgetTest, MakesMessagesSmallerAsItFillsUpAndStopsNoStream) {
  StreamPermit stream = Admit("unix:");
  EXPECT_EQ(stream.MessageBytes(), kMiB / 4);
  EXPECT_TRUE(stream.MayWorkAhead());
  StreamPermit stalled = Admit("unix:");
  ASSERT_THAT(stalled.Hold(8 * kMiB), IsOk());
  EXPECT_FALSE(stream.MayWorkAhead());
  EXPECT_LE(stream.MessageBytes(), StreamPermit::kSmallBytes);
  EXPECT_THAT(stream.Hold(stream.MessageBytes()), IsOk()) << "what is small always fits";
  EXPECT_THAT(stream.Hold(kMiB),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("raise the setting")));
}

TEST_F(StreamBudgetTest, IsGivenBackAllThatAStreamHeld) {
  {
    StreamPermit stream = Admit("unix:");
    ASSERT_THAT(stream.Hold(5 * kMiB), IsOk());
    ASSERT_THAT(stream.Hold(2 * kMiB), IsOk());
    EXPECT_EQ(budget_.num_bytes(), 2 * kMiB);
  }
  EXPECT_EQ(budget_.num_bytes(), 0);
  EXPECT_EQ(budget_.num_streams(), 0);
}

}  // namespace
}  // namespace tidemill::rpc
