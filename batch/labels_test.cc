#include "batch/labels.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::batch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

Batch Keys(std::vector<int64_t> keys) {
  Batch batch(static_cast<int64_t>(keys.size()));
  EXPECT_THAT(batch.Set(MakeColumn<int64_t>(kKeyColumn, keys)), IsOk());
  return batch;
}

// The bits of `valid` say which rows have a class.
Batch WithClasses(const std::vector<int64_t>& keys, unsigned valid) {
  Batch batch = Keys(keys);
  Column classes = MakeColumn<int64_t>(kClassLabelColumn, std::vector<int64_t>(keys.size(), 5));
  classes.validity = Buffer::Allocate(1);
  classes.validity.mutable_data()[0] = std::byte{static_cast<unsigned char>(valid)};
  EXPECT_THAT(batch.Set(classes), IsOk());
  return batch;
}

TEST(LabelledRows, AreThoseWithAValueInEitherColumn) {
  EXPECT_THAT(LabelledRows(WithClasses({1, 2, 3}, 0b101)), ElementsAre(0, 2));
  EXPECT_THAT(LabelledRows(Keys({1, 2})), IsEmpty());
  Batch reals = Keys({1, 2});
  ASSERT_THAT(reals.Set(MakeColumn<double>(kRealLabelColumn, std::vector<double>{0, 1})), IsOk());
  EXPECT_THAT(LabelledRows(reals), ElementsAre(0, 1));
}

TEST(AlignLabels, LetsBatchesBeConcatenatedOfWhichOneHasNoLabelsAtAll) {
  std::vector<Batch> batches = {Keys({1, 2}), WithClasses({3, 4}, 0b10)};
  EXPECT_FALSE(Concatenate(batches).ok());
  ASSERT_THAT(AlignLabels(batches), IsOk());
  const auto whole = Concatenate(batches);
  ASSERT_THAT(whole, IsOk());
  EXPECT_THAT(whole->keys(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(LabelledRows(*whole), ElementsAre(3));
}

TEST(ForgetLabels, GivesEverySampleALabelThatSaysNothing) {
  Batch samples = WithClasses({1, 2}, 0b10);
  ASSERT_THAT(ForgetLabels(samples), IsOk());
  EXPECT_THAT(LabelledRows(samples), ElementsAre(0, 1));
  EXPECT_THAT(samples.Find(kClassLabelColumn)->Values<int64_t>(), ElementsAre(0, 0));
  EXPECT_THAT(samples.Find(kRealLabelColumn)->Values<double>(), ElementsAre(0, 0));
}

}  // namespace
}  // namespace tidemill::batch
