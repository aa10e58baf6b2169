#include "loader/plan/length_buckets.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/plan/ragged_column.h"

namespace tidemill::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

TEST(RaggedColumn, RowsEndAtTheirLastNumberThatIsNotPadding) {
  const std::vector<int64_t> ids = {5, 0, 7, 0,  //
                                    0, 0, 0, 0,  //
                                    1, 2, 3, 4};
  const auto ragged = ToRagged(batch::MakeColumn<int64_t>("input", ids, {4}), 3, 0);
  ASSERT_THAT(ragged, IsOk());
  EXPECT_THAT(ragged->Values<int64_t>(), ElementsAre(5, 0, 7, 1, 2, 3, 4));
  EXPECT_THAT(LengthsOf(*ragged).value(), ElementsAre(3, 0, 4));
}

TEST(RaggedColumn, ComesBackInAnyWidthThatHoldsIt) {
  const std::vector<float> numbers = {1, -1, -1, 3,  -1, -1, -1, -1,  //
                                      1, 2,  -1, -1, -1, -1, -1, -1};
  const batch::Column padded = batch::MakeColumn<float>("input", numbers, {4, 2});
  const auto ragged = ToRagged(padded, 2, -1);
  ASSERT_THAT(ragged, IsOk());
  EXPECT_THAT(LengthsOf(*ragged).value(), ElementsAre(2, 1));
  const auto narrow = ToPadded(*ragged, 2, -1);
  ASSERT_THAT(narrow, IsOk());
  EXPECT_THAT(narrow->shape, ElementsAre(2, 2));
  EXPECT_THAT(narrow->Values<float>(), ElementsAre(1, -1, -1, 3, 1, 2, -1, -1));
  const auto whole = ToPadded(*ragged, 4, -1);
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->shape, padded.shape);
  EXPECT_THAT(whole->Values<float>(), ElementsAreArray(numbers));
}

TEST(RaggedColumn, ARowWithoutLengthIsAnError) {
  const std::vector<int64_t> ids = {1, 2};
  const batch::Column column = batch::MakeColumn<int64_t>("input", ids);
  EXPECT_THAT(ToRagged(column, 2, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no length")));
  EXPECT_THAT(LengthsOf(column), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input")));
}

TEST(LengthBuckets, WidthsArePowersOfTwoOrTheBoundariesUpToTheColumns) {
  models::Buckets buckets;
  EXPECT_EQ(WidthOf(buckets, 0, 48), 1);
  EXPECT_EQ(WidthOf(buckets, 8, 48), 8);
  EXPECT_EQ(WidthOf(buckets, 9, 48), 16);
  EXPECT_EQ(WidthOf(buckets, 33, 48), 48);
  buckets.boundaries = {10, 20};
  EXPECT_EQ(WidthOf(buckets, 0, 48), 10);
  EXPECT_EQ(WidthOf(buckets, 20, 48), 20);
  EXPECT_EQ(WidthOf(buckets, 21, 48), 48);
  EXPECT_EQ(WidthOf(buckets, 5, 8), 8);
}

TEST(LengthBuckets, NeighboursInLengthShareABatchOfTheSizeAskedFor) {
  const std::vector<int64_t> ids = {1, 1, 1, 0,  //
                                    2, 0, 0, 0,  //
                                    3, 3, 3, 3,  //
                                    4, 4, 0, 0,  //
                                    5, 0, 0, 0};
  batch::Batch rows(5);
  ASSERT_THAT(rows.Set(batch::MakeColumn<int64_t>("input", ids, {4})), IsOk());
  models::Buckets buckets;
  ASSERT_THAT(MakeRagged(buckets, rows), IsOk());
  const std::vector<int64_t> sizes = {2, 0, 3};
  const auto cut = CutByLength(buckets, 4, rows, sizes, {.purpose = "test"});
  ASSERT_THAT(cut, IsOk());
  ASSERT_EQ(cut->size(), 3u);
  EXPECT_EQ((*cut)[0].num_rows(), 2);
  EXPECT_EQ((*cut)[1].num_rows(), 0);
  EXPECT_EQ((*cut)[2].num_rows(), 3);
  const auto first = [&](size_t at) { return (*cut)[at].Find("input")->Values<int64_t>()[0]; };
  // Rows of equal length stay in order; which batch has the short ones is drawn.
  const bool short_first = first(0) == 2;
  EXPECT_EQ(first(0), short_first ? 2 : 1);
  EXPECT_EQ(first(2), short_first ? 4 : 2);
  EXPECT_EQ((*cut)[0].Find("input")->Width(), short_first ? 1 : 4);
}

TEST(LengthBuckets, RaggedSlicesBeginWhereOthersDo) {
  const std::vector<int64_t> ids = {1, 1, 2, 0, 3, 0};
  batch::Batch rows(3);
  ASSERT_THAT(rows.Set(batch::MakeColumn<int64_t>("input", ids, {2})), IsOk());
  ASSERT_THAT(MakeRagged({}, rows), IsOk());
  const batch::Batch slice = SliceAligned(rows, 1, 3);
  const batch::Column& input = *slice.Find("input");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(input.data.data()) % 64, 0u);
  EXPECT_THAT(input.Values<int64_t>(), ElementsAre(2, 3));
  EXPECT_THAT(LengthsOf(input).value(), ElementsAre(1, 1));
}

}  // namespace
}  // namespace tidemill::loader
