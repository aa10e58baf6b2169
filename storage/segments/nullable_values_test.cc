#include "storage/segments/nullable_values.h"

#include "gmock/gmock.h"

namespace tidemill::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(NullableValues, ReadsBackWhatWasPutInWhateverComesFirst) {
  using Values = std::vector<std::optional<int64_t>>;
  for (const Values& wanted :
       {Values{}, Values{1, 2}, Values{std::nullopt, std::nullopt}, Values{1, std::nullopt, 3},
        Values{std::nullopt, 2, std::nullopt, 4, 5, 6, 7, 8, 9, std::nullopt}}) {
    NullableValues<int64_t> values;
    for (const std::optional<int64_t>& value : wanted) values.push_back(value);
    EXPECT_THAT(values, ::testing::ElementsAreArray(wanted));
    NullableValues<int64_t> copied{std::nullopt, 7};
    copied.Append(values, 0, values.size());
    ASSERT_THAT(copied, SizeIs(wanted.size() + 2));
    for (size_t row = 0; row < wanted.size(); ++row) EXPECT_EQ(copied[row + 2], wanted[row]);
  }
}

TEST(NullableValues, KeepsBitsOnlyWhereThereAreBothKindsOfRows) {
  NullableValues<int64_t> values{1, 2};
  EXPECT_THAT(values.validity(), IsEmpty());
  values.AppendMissing(1);
  EXPECT_THAT(values.validity(), ElementsAre(0b011));
  EXPECT_THAT(values.values(), ElementsAre(1, 2, 0));
  NullableValues<int64_t> missing;
  missing.resize(3);
  EXPECT_TRUE(missing.all_missing());
  EXPECT_THAT(missing.values(), IsEmpty());
  missing.push_back(4);
  EXPECT_THAT(missing.validity(), ElementsAre(0b1000));
  EXPECT_THAT(missing.values(), ElementsAre(0, 0, 0, 4));
}

TEST(NullableValuesDeathTest, AppendsOnlyRowsThatExist) {
  const NullableValues<int64_t> values = {1, std::nullopt};
  NullableValues<int64_t> more;
  EXPECT_DEATH(more.Append(values, 1, 3), "other.size_");
}

}  // namespace
}  // namespace tidemill::storage
