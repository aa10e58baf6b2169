#include "preprocess/ring/ring_extents.h"

#include <map>

#include "gmock/gmock.h"

#include "base/numbers/random.h"

namespace tidemill::preprocess {
namespace {

using ::testing::Optional;

TEST(RingExtents, TakesTheLowestPlaceThatFits) {
  RingExtents extents(1000 * 64, 2000 * 64);
  EXPECT_THAT(extents.Take(1), Optional(0));
  EXPECT_THAT(extents.Take(65), Optional(64));
  EXPECT_THAT(extents.Take(64), Optional(192));
  EXPECT_THAT(extents.Give(64), Optional(128));
  EXPECT_THAT(extents.Take(129), Optional(256));
  EXPECT_THAT(extents.Take(128), Optional(64));
  EXPECT_EQ(extents.num_taken(), 4);
  EXPECT_EQ(extents.bytes_taken(), 64 + 128 + 64 + 192);
}

TEST(RingExtents, GoesBeyondItsSizeOnlyWhereAsked) {
  RingExtents extents(640, 6400);
  EXPECT_THAT(extents.Take(600), Optional(0));
  EXPECT_EQ(extents.Take(64), std::nullopt);
  EXPECT_THAT(extents.TakeBeyond(1000), Optional(640));
  EXPECT_EQ(extents.TakeBeyond(6400), std::nullopt);
  EXPECT_THAT(extents.Give(0), Optional(640));
  EXPECT_THAT(extents.Take(64), Optional(0));
}

TEST(RingExtents, TakesBackOnlyWhatItGave) {
  RingExtents extents(640, 640);
  EXPECT_THAT(extents.Take(100), Optional(0));
  EXPECT_EQ(extents.Give(64), std::nullopt);
  EXPECT_EQ(extents.Give(-64), std::nullopt);
  EXPECT_THAT(extents.Give(0), Optional(128));
  EXPECT_EQ(extents.Give(0), std::nullopt);
  EXPECT_EQ(extents.Take(0), std::nullopt);
  EXPECT_EQ(extents.Take(-1), std::nullopt);
}

TEST(RingExtents, NeverOverlapWhateverTheOrder) {
  constexpr int64_t kSize = 1 << 16;
  RingExtents extents(kSize, kSize);
  std::map<int64_t, int64_t> taken;
  uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = MixBits(state + 1);
    const auto bytes = static_cast<int64_t>(state % 5000 + 1);
    const std::optional<int64_t> offset = state % 3 == 0 ? std::nullopt : extents.Take(bytes);
    if (offset.has_value()) {
      const auto next = taken.lower_bound(*offset);
      ASSERT_TRUE(next == taken.end() || *offset + bytes <= next->first);
      if (next != taken.begin()) {
        const auto before = std::prev(next);
        ASSERT_LE(before->first + before->second, *offset);
      }
      ASSERT_LE(*offset + bytes, kSize);
      taken[*offset] = bytes;
    } else if (!taken.empty()) {
      const auto given = std::next(
          taken.begin(), static_cast<int64_t>(state >> 32) % static_cast<int64_t>(taken.size()));
      ASSERT_TRUE(extents.Give(given->first).has_value());
      taken.erase(given);
    }
  }
  for (const auto& [offset, bytes] : taken) extents.Give(offset);
  EXPECT_THAT(extents.Take(kSize), Optional(0));
}

}  // namespace
}  // namespace tidemill::preprocess
