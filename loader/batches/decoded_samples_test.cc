#include "loader/batches/decoded_samples.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

using ::testing::ElementsAre;

// Rows with the input {10 o, 10 o + 1} and the target o.
batch::Batch MakeRows(const std::vector<int64_t>& ordinals) {
  batch::Batch rows(std::ssize(ordinals));
  std::vector<float> inputs;
  for (const int64_t ordinal : ordinals) {
    inputs.push_back(static_cast<float>(10 * ordinal));
    inputs.push_back(static_cast<float>(10 * ordinal + 1));
  }
  EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("key", ordinals)).ok());
  EXPECT_TRUE(rows.Set(batch::MakeColumn<float>("input", inputs, {2})).ok());
  EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("target", ordinals)).ok());
  EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("ordinal", ordinals)).ok());
  return rows;
}

// Key, two numbers of the input, target, and the place itself.
constexpr int64_t kRowBytes = 8 + 8 + 8 + 4;

TEST(DecodedSamples, GivesBackWhatItWasGivenInAnyOrder) {
  DecodedSamples kept(10, 1 << 20);
  kept.Keep(MakeRows({4, 2, 9}));
  kept.Keep(MakeRows({2, 7}));
  const std::vector<int64_t> wanted = {9, 7, 2, 9};
  const auto places = kept.Find(wanted);
  const auto gathered = kept.Gather(wanted, places, {});
  ASSERT_TRUE(gathered.ok()) << gathered.status().ToString();
  EXPECT_THAT(gathered->Find("input")->Values<float>(),
              ElementsAre(90, 91, 70, 71, 20, 21, 90, 91));
  EXPECT_THAT(gathered->Find("target")->Values<int64_t>(), ElementsAre(9, 7, 2, 9));
  EXPECT_THAT(gathered->Find("ordinal")->Values<int64_t>(), ElementsAre(9, 7, 2, 9));
  EXPECT_THAT(gathered->keys(), ElementsAre(9, 7, 2, 9));
  EXPECT_THAT(kept.Find(std::vector<int64_t>{0, 3}),
              ElementsAre(DecodedSamples::kUnknown, DecodedSamples::kUnknown));
}

TEST(DecodedSamples, KeepsNoMoreThanFitsAndMixesItWithWhatWasRead) {
  DecodedSamples kept(10, 2 * kRowBytes);
  kept.Keep(MakeRows({1, 2, 3}));
  const std::vector<int64_t> wanted = {3, 2, 1};
  std::vector<int64_t> places = kept.Find(wanted);
  ASSERT_EQ(places[0], DecodedSamples::kUnknown);
  places[0] = DecodedSamples::PlaceOfRead(1);
  const auto gathered = kept.Gather(wanted, places, MakeRows({5, 3}));
  ASSERT_TRUE(gathered.ok()) << gathered.status().ToString();
  EXPECT_THAT(gathered->Find("input")->Values<float>(), ElementsAre(30, 31, 20, 21, 10, 11));
}

TEST(DecodedSamples, WithoutRoomForARowKeepsNothing) {
  DecodedSamples kept(10, kRowBytes - 1);
  kept.Keep(MakeRows({1}));
  EXPECT_THAT(kept.Find(std::vector<int64_t>{1}), ElementsAre(DecodedSamples::kUnknown));
  const auto gathered = kept.Gather(
      std::vector<int64_t>{1}, std::vector<int64_t>{DecodedSamples::PlaceOfRead(0)}, MakeRows({1}));
  ASSERT_TRUE(gathered.ok());
  EXPECT_THAT(gathered->Find("input")->Values<float>(), ElementsAre(10, 11));
}

TEST(DecodedSamples, RemembersHolesAndWhy) {
  DecodedSamples kept(10, 1 << 20);
  kept.KeepHoles(std::vector<int64_t>{6}, "sample 6: deleted");
  EXPECT_THAT(kept.Find(std::vector<int64_t>{6}), ElementsAre(DecodedSamples::kHole));
  EXPECT_EQ(kept.reason(), "sample 6: deleted");
}

TEST(DecodedSamples, PassesOverRowsOfOtherColumns) {
  DecodedSamples kept(10, 1 << 20);
  kept.Keep(MakeRows({1}));
  batch::Batch other = MakeRows({2});
  ASSERT_TRUE(other.Set(batch::MakeColumn<float>("input", std::vector<float>{1}, {1})).ok());
  kept.Keep(other);
  EXPECT_THAT(kept.Find(std::vector<int64_t>{2}), ElementsAre(DecodedSamples::kUnknown));
}

}  // namespace
}  // namespace tidemill::loader
