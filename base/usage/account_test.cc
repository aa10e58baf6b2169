#include "base/usage/account.h"

#include <time.h>

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/threads/worker_pool.h"

namespace tidemill::usage {
namespace {

using ::testing::Ge;
using ::testing::Le;

constexpr int64_t kMillis = 1'000'000;

int64_t ThreadNanos() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Keeps a processor busy for a time of this thread.
void Work(int64_t nanos) {
  const int64_t end = ThreadNanos() + nanos;
  while (ThreadNanos() < end) {
  }
}

TEST(Amounts, AddUpExactlyAndComeApartAgain) {
  const Amounts one = {.job_nanos = 1,
                       .worker_nanos = 2,
                       .service_nanos = 3,
                       .device_nanos = {{"cuda", 4}},
                       .bytes_read = 5,
                       .bytes_sent = 6,
                       .bytes_stored = 7};
  const Amounts other = {.job_nanos = int64_t{1} << 60, .device_nanos = {{"cuda", 1}, {"h100", 2}}};
  Amounts sum = one;
  sum += other;
  EXPECT_EQ(sum.job_nanos, (int64_t{1} << 60) + 1);
  EXPECT_EQ(sum.device_nanos, (std::map<std::string, int64_t>{{"cuda", 5}, {"h100", 2}}));
  EXPECT_EQ(Less(sum, other), one);
  EXPECT_EQ(Less(sum, one), other);
}

TEST(Scope, CountsTheTimeOfItsThread) {
  const auto account = std::make_shared<Account>();
  {
    const Scope scope(account);
    Work(5 * kMillis);
  }
  const int64_t counted = account->Total().service_nanos;
  EXPECT_THAT(counted, Ge(5 * kMillis));
  Work(5 * kMillis);
  EXPECT_EQ(account->Total().service_nanos, counted) << "what comes after it is not its own";
}

TEST(Scope, LeavesTheTimeOfAnInnerOneToThat) {
  const auto outer = std::make_shared<Account>();
  const auto inner = std::make_shared<Account>();
  const int64_t begin = ThreadNanos();
  {
    const Scope scope(outer);
    Work(2 * kMillis);
    {
      const Scope within(inner);
      Work(5 * kMillis);
      EXPECT_EQ(Current(), inner);
    }
    EXPECT_EQ(Current(), outer);
    Work(2 * kMillis);
  }
  const int64_t all = ThreadNanos() - begin;
  EXPECT_THAT(outer->Total().service_nanos, Ge(4 * kMillis));
  EXPECT_THAT(inner->Total().service_nanos, Ge(5 * kMillis));
  EXPECT_THAT(outer->Total().service_nanos + inner->Total().service_nanos, Le(all))
      << "no nanosecond is in both";
}

TEST(Scope, WithoutAnAccountIsNobodys) {
  const auto outer = std::make_shared<Account>();
  const Scope scope(outer);
  {
    const Scope nobody(nullptr);
    Add({.bytes_read = 5});
    EXPECT_EQ(Current(), nullptr);
  }
  EXPECT_EQ(outer->Total().bytes_read, 0);
}

TEST(Scope, CanBeSettledWhileItIsOpen) {
  const auto account = std::make_shared<Account>();
  const Scope scope(account);
  Work(2 * kMillis);
  EXPECT_EQ(account->Total().service_nanos, 0);
  SettleCurrent();
  const int64_t first = account->Take().service_nanos;
  EXPECT_THAT(first, Ge(2 * kMillis));
  SettleCurrent();
  EXPECT_THAT(account->Total().service_nanos, Le(first)) << "nothing counts twice";
}

TEST(ParallelFor, WorksForTheAccountOfItsCaller) {
  WorkerPool pool("pool", 3);
  const auto account = std::make_shared<Account>();
  {
    const Scope scope(account);
    pool.ParallelFor(8, [](int64_t) {
      Work(2 * kMillis);
      Add({.bytes_read = 1});
    });
  }
  EXPECT_THAT(account->Total().service_nanos, Ge(16 * kMillis));
  EXPECT_EQ(account->Total().bytes_read, 8);
}

TEST(Account, OfAWholeProcessTakesWhatIsInNoScope) {
  // It cannot be undone, so it is another process.
  EXPECT_EXIT(
      {
        const auto whole = MeasureWholeProcess();
        Add({.bytes_sent = 3});
        const auto account = std::make_shared<Account>();
        {
          const Scope scope(account);
          Work(kMillis);
          Add({.bytes_sent = 4});
        }
        const bool holds = whole->Total() == Amounts{.bytes_sent = 3} &&
                           account->Total() == Amounts{.bytes_sent = 4} &&
                           ProcessNanos() >= kMillis;
        exit(holds ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tidemill::usage
