#include "preprocess/transport/outbox.h"

#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"

#include "base/threads/worker_pool.h"
#include "preprocess/transport/testing/test_batches.h"

namespace tidemill::preprocess {
namespace {

using testing::MakeEmpty;
using testing::MakeMessage;

constexpr int64_t kNoWish[] = {-1, -1};

std::optional<int64_t> NumberOf(const std::optional<BatchMessage>& message) {
  if (!message.has_value()) return std::nullopt;
  return message->number;
}

TEST(Outbox, GivesNothingWithoutCredit) {
  Outbox outbox({0});
  outbox.Put(MakeMessage(0, 5, 1000));
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
  outbox.Grant(1, kNoWish);
  EXPECT_EQ(NumberOf(outbox.Take()), 5);
}

TEST(Outbox, LetsCreditFallBelowZeroOnce) {
  Outbox outbox({0});
  for (int64_t i = 0; i < 3; ++i) outbox.Put(MakeMessage(0, i, 1000));
  const int64_t bytes = BytesOf(MakeMessage(0, 0, 1000));
  outbox.Grant(1, kNoWish);
  EXPECT_EQ(NumberOf(outbox.Take()), 0);
  outbox.Grant(bytes - 1, kNoWish);
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
  outbox.Grant(1, kNoWish);
  EXPECT_EQ(NumberOf(outbox.Take()), 1);
}

TEST(Outbox, GivesTheWantedOneWithoutCreditAndFirst) {
  Outbox outbox({3, 7});
  outbox.Put(MakeMessage(3, 9, 100));
  outbox.Put(MakeMessage(7, 9, 100));
  outbox.Put(MakeMessage(7, 2, 100, 2));
  const int64_t wanted[] = {1, 2};
  outbox.Grant(0, wanted);
  const std::optional<BatchMessage> first = outbox.Take();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->lane, 7);
  EXPECT_EQ(first->attempt, 2);
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
  EXPECT_EQ(NumberOf(outbox.TakeWanted()), std::nullopt);
  EXPECT_TRUE(outbox.IsWanted(*first));
}

TEST(Outbox, WantedOnesLessenCreditToo) {
  Outbox outbox({0});
  const int64_t bytes = BytesOf(MakeMessage(0, 0, 100));
  const int64_t wanted[] = {0};
  outbox.Put(MakeMessage(0, 0, 100));
  outbox.Put(MakeMessage(0, 1, 100));
  outbox.Grant(0, wanted);
  EXPECT_EQ(NumberOf(outbox.Take()), 0);
  outbox.Grant(bytes, {});
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
}

TEST(Outbox, TakesAnyCreditAsOftenAsItComes) {
  Outbox outbox({0});
  outbox.Grant(1, {});
  for (int i = 0; i < 3; ++i) outbox.Grant(std::numeric_limits<int64_t>::max(), {});
  outbox.Put(MakeMessage(0, 4, 100));
  EXPECT_EQ(NumberOf(outbox.Take()), 4);
}

TEST(Outbox, KeepsWishesThatAGrantDoesNotName) {
  Outbox outbox({0, 1});
  const int64_t wanted[] = {4, 4};
  outbox.Grant(0, wanted);
  const int64_t first_only[] = {5};
  outbox.Grant(0, first_only);
  outbox.Put(MakeMessage(0, 4, 10));
  outbox.Put(MakeMessage(1, 4, 10));
  const std::optional<BatchMessage> taken = outbox.Take();
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->lane, 1);
}

TEST(Outbox, CountsItsBytes) {
  Outbox outbox({0});
  outbox.Put(MakeMessage(0, 0, 1000));
  outbox.Put(MakeEmpty(0, 1, "all bad"));
  EXPECT_EQ(outbox.bytes(), BytesOf(MakeMessage(0, 0, 1000)));
  outbox.Grant(1, kNoWish);
  outbox.Take();
  EXPECT_EQ(outbox.bytes(), 0);
}

TEST(Outbox, CallsTheListenerWhenSomethingMayGo) {
  Outbox outbox({0});
  int num_calls = 0;
  outbox.Listen([&] { ++num_calls; });
  outbox.Put(MakeMessage(0, 0, 10));
  EXPECT_EQ(num_calls, 0);
  outbox.Grant(1, kNoWish);
  EXPECT_EQ(num_calls, 1);
  outbox.Take();
  outbox.Grant(1000, kNoWish);
  EXPECT_EQ(num_calls, 1);
  outbox.Put(MakeMessage(0, 1, 10));
  EXPECT_EQ(num_calls, 2);
  outbox.Listen(nullptr);
  outbox.Put(MakeMessage(0, 2, 10));
  EXPECT_EQ(num_calls, 2);
}

TEST(Outbox, OnceClosedDropsEverything) {
  Outbox outbox({0});
  int num_calls = 0;
  outbox.Listen([&] { ++num_calls; });
  outbox.Grant(1000, kNoWish);
  outbox.Put(MakeMessage(0, 0, 10));
  outbox.Close(Unavailable("gone"));
  outbox.Close(absl::OkStatus());
  EXPECT_EQ(num_calls, 2);
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
  outbox.Put(MakeMessage(0, 1, 10));
  EXPECT_EQ(NumberOf(outbox.Take()), std::nullopt);
  EXPECT_EQ(outbox.bytes(), 0);
  ASSERT_TRUE(outbox.closed().has_value());
  EXPECT_EQ(*outbox.closed(), Unavailable("gone"));
}

TEST(Outbox, LosesNothingBetweenThreads) {
  constexpr int64_t kCount = 2000;
  Outbox outbox({0, 1});
  std::atomic<int64_t> num_taken = 0;
  std::atomic<int64_t> sum = 0;
  const auto take = [&] {
    while (const std::optional<BatchMessage> message = outbox.Take()) {
      ++num_taken;
      sum += message->number;
    }
  };
  outbox.Listen(take);
  {
    WorkerPool pool("test.outbox", 4);
    for (const int32_t lane : {0, 1}) {
      pool.Submit([&outbox, lane] {
        for (int64_t i = 0; i < kCount; ++i) outbox.Put(MakeMessage(lane, i, 16));
      });
    }
    pool.Submit([&outbox] {
      for (int64_t i = 0; i < kCount; ++i) outbox.Grant(100, std::vector<int64_t>{i, i});
    });
    pool.Submit([&outbox, &take] {
      for (int64_t i = 0; i < 100; ++i) outbox.Listen(take);
    });
  }
  outbox.Grant(int64_t{1} << 40, {});
  take();
  EXPECT_EQ(num_taken, 2 * kCount);
  EXPECT_EQ(sum, kCount * (kCount - 1));
}

}  // namespace
}  // namespace tidemill::preprocess
