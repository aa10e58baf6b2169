#include "loader/batches/window_rows.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::loader {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::StatusIs;

// A window of about `bytes` bytes.
absl::StatusOr<WindowRows> Window(int64_t bytes) {
  const std::vector<int64_t> numbers(static_cast<size_t>(bytes / 8));
  batch::Batch rows(static_cast<int64_t>(numbers.size()));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>("key", numbers)));
  return WindowRows{.batches = {rows}};
}

TEST(WindowCache, ConcurrentCallersGetOneWindow) {
  WindowCache cache(1 << 20);
  std::atomic<int> num_made = 0;
  const auto ask = [&] {
    for (int64_t first = 0; first < 100; ++first) {
      const auto got = cache.Get(first, [&] {
        ++num_made;
        return Window(8 * (first + 1));
      });
      ASSERT_TRUE(got.ok());
      EXPECT_EQ((*got)->batches[0].num_rows(), first + 1);
    }
  };
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 8; ++i) askers.emplace_back(ask);
  }
  EXPECT_EQ(num_made, 100);
}

TEST(WindowCache, KeepsThoseAskedForLatelyUpToItsBudget) {
  WindowCache cache(3000);
  int num_made = 0;
  const auto get = [&](int64_t first) {
    return cache.Get(first, [&] {
      ++num_made;
      return Window(1000);
    });
  };
  for (const int64_t first : {0, 1, 2, 0, 3}) ASSERT_TRUE(get(first).ok());
  EXPECT_EQ(num_made, 4);
  ASSERT_TRUE(get(0).ok());
  EXPECT_EQ(num_made, 4) << "it was asked for after 1";
  ASSERT_TRUE(get(1).ok());
  EXPECT_EQ(num_made, 5);
}

TEST(WindowCache, KeepsTheLastOneHoweverLarge) {
  WindowCache cache(10);
  int num_made = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(cache
                    .Get(7,
                         [&] {
                           ++num_made;
                           return Window(1000);
                         })
                    .ok());
  }
  EXPECT_EQ(num_made, 1);
}

TEST(WindowCache, AFailureIsTheAskersOwn) {
  WindowCache cache(1 << 20);
  EXPECT_THAT(cache.Get(0, [] { return Unavailable("storage is away"); }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("away")));
  EXPECT_TRUE(cache.Get(0, [] { return Window(8); }).ok());
}

}  // namespace
}  // namespace tidemill::loader
