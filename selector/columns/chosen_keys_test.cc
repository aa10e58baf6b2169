#include "selector/columns/chosen_keys.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kSlot = int64_t{1} << 44;

// Keys of three datasets, some in runs, some far apart, some on both sides of 2^32.
std::vector<int64_t> ManyKeys(int64_t seed) {
  std::vector<int64_t> keys;
  for (int64_t i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<int64_t>(RandomBits({.seed = seed, .purpose = "test"}, i) >> 1);
    keys.push_back(kSlot * (1 + bits % 3) + (bits >> 8) % 100'000);
  }
  for (int64_t i = -5000; i < 5000; ++i) keys.push_back(kSlot + (int64_t{1} << 32) + i);
  return keys;
}

TEST(ChosenKeys, HoldsWhatWasAddedAndNothingElse) {
  const std::vector<int64_t> added = ManyKeys(1);
  ChosenKeys keys;
  keys.Add(added);
  const std::set<int64_t> expected(added.begin(), added.end());
  EXPECT_EQ(keys.size(), static_cast<int64_t>(expected.size()));
  const std::vector<int64_t> asked = ManyKeys(2);
  std::vector<uint8_t> contained(asked.size());
  keys.Contains(asked, contained.data());
  int64_t count = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(contained[i] == 1, expected.contains(asked[i])) << asked[i];
    ASSERT_EQ(keys.Contains(asked[i]), expected.contains(asked[i]));
    count += contained[i];
  }
  EXPECT_GT(count, 10'000);
  EXPECT_EQ(keys.CountOf(asked), count);
}

TEST(ChosenKeys, HasTheSameBytesHoweverKeysCame) {
  std::vector<int64_t> added = ManyKeys(1);
  ChosenKeys all_at_once;
  all_at_once.Add(added);
  std::sort(added.begin(), added.end());
  ChosenKeys one_by_one;
  for (const int64_t key : added) one_by_one.Add(std::span(&key, 1));
  EXPECT_EQ(all_at_once.Encode(), one_by_one.Encode());
  ChosenKeys half, other;
  half.Add(std::span(added).first(added.size() / 2));
  other.Add(std::span(added).subspan(added.size() / 2));
  half.Add(other);
  EXPECT_EQ(half.Encode(), one_by_one.Encode());
}

TEST(ChosenKeys, ComesBackFromItsBytes) {
  ChosenKeys keys;
  keys.Add(ManyKeys(3));
  const auto back = ChosenKeys::Decode(keys.Encode());
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->size(), keys.size());
  EXPECT_EQ(back->Encode(), keys.Encode());
  EXPECT_EQ(ChosenKeys::Decode(ChosenKeys().Encode())->size(), 0);
}

TEST(ChosenKeys, RefusesBytesThatAreCutOff) {
  ChosenKeys keys;
  keys.Add(ManyKeys(3));
  const std::string bytes = keys.Encode();
  for (const size_t size :
       {size_t{0}, size_t{7}, size_t{9}, size_t{13}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THAT(ChosenKeys::Decode(std::string_view(bytes).substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a set of keys")))
        << size;
  }
  EXPECT_THAT(ChosenKeys::Decode(bytes + "x"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a set of keys")));
}

TEST(ChosenKeys, TakesLittleRoomForNeighbours) {
  std::vector<int64_t> run(10'000'000);
  std::iota(run.begin(), run.end(), kSlot);
  ChosenKeys keys;
  keys.Add(run);
  EXPECT_EQ(keys.size(), 10'000'000);
  EXPECT_LT(keys.Encode().size(), 4096U);
}

TEST(ChosenKeys, IsCopiedAndMoved) {
  const std::vector<int64_t> added = {kSlot, kSlot + 7};
  ChosenKeys keys;
  keys.Add(added);
  ChosenKeys copy = keys;
  copy.Add(std::vector<int64_t>{kSlot + 9});
  EXPECT_EQ(keys.size(), 2);
  EXPECT_EQ(copy.size(), 3);
  keys = std::move(copy);
  EXPECT_EQ(keys.size(), 3);
}

}  // namespace
}  // namespace tidemill::selector
