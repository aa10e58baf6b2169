#include "batch/batch.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::batch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

template <typename T>
std::vector<T> Numbers(const Batch& batch, std::string_view name) {
  const std::span<const T> values = batch.Find(name)->Values<T>();
  return {values.begin(), values.end()};
}

// Three rows: a key, two pixels, a label that the second row lacks, and some bytes.
Batch ThreeRows(int64_t first_key) {
  Batch batch(3);
  const std::vector<int64_t> keys = {first_key, first_key + 1, first_key + 2};
  const std::vector<float> pixels = {0, 1, 10, 11, 20, 21};
  Column label = MakeColumn<int64_t>(kClassLabelColumn, std::vector<int64_t>{7, 0, 9});
  label.validity = Buffer::FromString(std::string(1, '\x05'));
  const std::vector<std::string_view> payloads = {"a", "", "ccc"};
  EXPECT_THAT(batch.Set(MakeColumn<int64_t>(kKeyColumn, keys)), IsOk());
  EXPECT_THAT(batch.Set(MakeColumn<float>("input", pixels, {2})), IsOk());
  EXPECT_THAT(batch.Set(std::move(label)), IsOk());
  EXPECT_THAT(batch.Set(MakeBinaryColumn(kPayloadColumn, payloads)), IsOk());
  return batch;
}

TEST(Batch, TakeKeepsTheEntriesOfARowTogetherAndRepeatsThem) {
  const std::vector<int64_t> rows = {2, 0, 2, 1};
  const Batch taken = ThreeRows(100).Take(rows);
  ASSERT_EQ(taken.num_rows(), 4);
  EXPECT_THAT(Numbers<int64_t>(taken, kKeyColumn), ElementsAre(102, 100, 102, 101));
  EXPECT_THAT(Numbers<float>(taken, "input"), ElementsAre(20, 21, 0, 1, 20, 21, 10, 11));
  const Column& label = *taken.Find(kClassLabelColumn);
  EXPECT_EQ(label.Values<int64_t>()[0], 9);
  EXPECT_TRUE(label.IsValid(0) && label.IsValid(1) && label.IsValid(2));
  EXPECT_FALSE(label.IsValid(3));
  const Column& payload = *taken.Find(kPayloadColumn);
  EXPECT_EQ(payload.Bytes(0), "ccc");
  EXPECT_EQ(payload.Bytes(1), "a");
  EXPECT_EQ(payload.Bytes(2), "ccc");
  EXPECT_EQ(payload.Bytes(3), "");
}

TEST(Batch, TakingNoRowsKeepsTheColumns) {
  const Batch taken = ThreeRows(100).Take({});
  EXPECT_EQ(taken.num_rows(), 0);
  EXPECT_EQ(taken.columns().size(), 4);
}

TEST(Batch, ConcatenateAppendsRowsAndFillsMissingValidity) {
  Batch all_valid = ThreeRows(200);
  Column label = *all_valid.Find(kClassLabelColumn);
  label.validity = {};
  ASSERT_THAT(all_valid.Set(label), IsOk());
  const std::vector<Batch> parts = {all_valid, ThreeRows(300), Batch(ThreeRows(0).Take({}))};
  const auto whole = Concatenate(parts);
  ASSERT_THAT(whole, IsOk());
  EXPECT_THAT(Numbers<int64_t>(*whole, kKeyColumn), ElementsAre(200, 201, 202, 300, 301, 302));
  const Column& labels = *whole->Find(kClassLabelColumn);
  std::vector<bool> valid;
  for (int64_t row = 0; row < 6; ++row) valid.push_back(labels.IsValid(row));
  EXPECT_THAT(valid, ElementsAre(true, true, true, true, false, true));
  EXPECT_EQ(whole->Find(kPayloadColumn)->Bytes(5), "ccc");
  EXPECT_EQ(whole->Find(kPayloadColumn)->Bytes(3), "a");
}

TEST(Batch, ConcatenateRefusesOtherColumns) {
  Batch other = ThreeRows(0);
  other.Drop("input");
  const std::vector<Batch> fewer = {ThreeRows(0), other};
  EXPECT_THAT(Concatenate(fewer),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4 and 3")));
  ASSERT_THAT(other.Set(MakeColumn<float>("input", std::vector<float>{1, 2, 3})), IsOk());
  const std::vector<Batch> reshaped = {ThreeRows(0), other};
  EXPECT_THAT(Concatenate(reshaped),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input")));
}

TEST(Batch, SetRefusesBuffersOfTheWrongSize) {
  Batch batch(3);
  EXPECT_THAT(
      batch.Set(MakeColumn<int64_t>("x", std::vector<int64_t>{1, 2})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("it has 16 bytes, but 3 rows")));
  EXPECT_THAT(batch.Set(MakeColumn<float>("x", std::vector<float>{1, 2, 3}, {2})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("need 24")));
  EXPECT_THAT(batch.Set(MakeColumn<float>("x", std::vector<float>{}, {1LL << 40, 1LL << 40})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("shape is not valid")));
  EXPECT_THAT(batch.Set(MakeBinaryColumn("x", std::vector<std::string_view>{"a", "b"})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("offsets")));
  Column label = MakeColumn<int64_t>("x", std::vector<int64_t>{1, 2, 3});
  label.validity = Buffer::Allocate(2);
  EXPECT_THAT(batch.Set(label),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("validity")));
  EXPECT_THAT(batch.Set(MakeColumn<int64_t>(std::string(256, 'n'), std::vector<int64_t>{1, 2, 3})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("255 bytes")));
  EXPECT_TRUE(batch.columns().empty());
}

TEST(Batch, SetReplacesTheColumnOfThatName) {
  Batch batch = ThreeRows(100);
  ASSERT_THAT(batch.Set(MakeColumn<int64_t>(kKeyColumn, std::vector<int64_t>{1, 2, 3})), IsOk());
  EXPECT_EQ(batch.columns().size(), 4);
  EXPECT_THAT(batch.keys(), ElementsAre(1, 2, 3));
}

TEST(Batch, GetNamesTheKnownColumns) {
  const Batch batch = ThreeRows(100);
  EXPECT_THAT(batch.Get("nope", DataType::kInt64),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("key, input, class_label, payload")));
  EXPECT_THAT(batch.Get("input", DataType::kInt64),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("float32, not int64")));
  EXPECT_THAT(batch.Get("input", DataType::kFloat32), IsOk());
}

}  // namespace
}  // namespace tidemill::batch
