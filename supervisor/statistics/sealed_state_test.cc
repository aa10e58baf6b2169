#include "supervisor/statistics/sealed_state.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::StatusIs;

struct Inner {
  double share = 0;
  void Fields(auto&& field) { field("share", share); }
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  bool fired = false;
  int64_t count = 0;
  std::vector<double> scores = {};
  std::vector<int64_t> numbers = {};
  Inner inner = {};
  void Fields(auto&& field) {
    field("fired", fired);
    field("count", count);
    field("scores", scores);
    field("numbers", numbers);
    field("inner", inner);
  }
  friend bool operator==(const Outer&, const Outer&) = default;
};

nlohmann::json ThroughText(const nlohmann::json& sealed) {
  return nlohmann::json::parse(sealed.dump());
}

TEST(SealedState, IsRestoredToTheLastBit) {
  Outer state = {.fired = true,
                 .count = std::numeric_limits<int64_t>::min(),
                 .scores = {0.1, -0.0, 1e300, 5e-324, 1.0 / 3, 7},
                 .numbers = {0, std::numeric_limits<int64_t>::max()},
                 .inner = {.share = 0.3}};
  for (int64_t i = 0; i < 10'000; ++i) {
    const double any = std::bit_cast<double>(RandomBits({.purpose = "test"}, i));
    if (std::isfinite(any)) state.scores.push_back(any);
  }
  const auto restored = RestoreState<Outer>(ThroughText(SealState(state)));
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(*restored, state);
  EXPECT_TRUE(std::signbit(restored->scores[1]));
}

TEST(SealedState, IsReadable) {
  EXPECT_EQ(SealState(Outer{.count = 3, .scores = {0.5}}).dump(),
            R"({"count":3,"fired":false,"inner":{"share":0.0},"numbers":[],"scores":[0.5]})");
}

TEST(SealedState, RefusesWhatItIsNot) {
  constexpr auto kLoss = absl::StatusCode::kDataLoss;
  EXPECT_THAT(RestoreState<Inner>(nlohmann::json(7)),
              StatusIs(kLoss, HasSubstr("not a JSON object")));
  EXPECT_THAT(RestoreState<Inner>(nlohmann::json::parse("{}")),
              StatusIs(kLoss, HasSubstr("no 'share'")));
  EXPECT_THAT(RestoreState<Inner>(nlohmann::json::parse(R"({"share":"a"})")),
              StatusIs(kLoss, HasSubstr("another type")));
  EXPECT_THAT(RestoreState<Inner>(nlohmann::json::parse(R"({"share":1,"more":2})")),
              StatusIs(kLoss, HasSubstr("2 members")));
  EXPECT_THAT(RestoreState<Outer>(nlohmann::json::parse(
                  R"({"fired":true,"count":1,"scores":[],"numbers":[],"inner":{}})")),
              StatusIs(kLoss, HasSubstr("no 'share'")));
}

}  // namespace
}  // namespace tidemill::supervisor::statistics
