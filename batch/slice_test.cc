#include "batch/slice.h"

#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::batch {
namespace {

using testing::IsOk;

Batch MakeBatch(int64_t num_rows) {
  std::vector<int64_t> keys(static_cast<size_t>(num_rows));
  std::iota(keys.begin(), keys.end(), 100);
  std::vector<float> pixels(static_cast<size_t>(num_rows) * 3);
  std::iota(pixels.begin(), pixels.end(), 0.0F);
  std::vector<std::string> texts;
  for (int64_t row = 0; row < num_rows; ++row)
    texts.push_back(std::string(row % 4, static_cast<char>('a' + row % 26)));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  Batch batch(num_rows);
  EXPECT_THAT(batch.Set(MakeColumn<int64_t>("key", keys)), IsOk());
  EXPECT_THAT(batch.Set(MakeColumn<float>("pixels", pixels, {3})), IsOk());
  Column text = MakeBinaryColumn("text", views);
  text.validity = Buffer::Allocate(static_cast<size_t>(num_rows + 7) / 8);
  for (int64_t row = 0; row < num_rows; row += 3) {
    text.validity.mutable_data()[row / 8] |= static_cast<std::byte>(1U << (row % 8));
  }
  EXPECT_THAT(batch.Set(std::move(text)), IsOk());
  return batch;
}

TEST(Slice, HasTheSameRowsAsTake) {
  const Batch batch = MakeBatch(203);
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 203},
                                 {0, 16},
                                 {16, 203},
                                 {5, 6},
                                 {64, 128},
                                 {13, 13},
                                 {1, 203}}) {
    const Batch slice = Slice(batch, from, to);
    std::vector<int64_t> rows(static_cast<size_t>(to - from));
    std::iota(rows.begin(), rows.end(), from);
    const Batch taken = batch.Take(rows);
    ASSERT_EQ(slice.num_rows(), to - from);
    for (const Column& column : taken.columns()) {
      const Column* const part = slice.Find(column.name);
      ASSERT_NE(part, nullptr) << column.name;
      EXPECT_EQ(part->data.view(), column.data.view()) << column.name;
      EXPECT_EQ(part->offsets.view(), column.offsets.view()) << column.name;
      for (int64_t row = 0; row < to - from; ++row) {
        EXPECT_EQ(part->IsValid(row), column.IsValid(row)) << column.name << " row " << row;
      }
      EXPECT_EQ(reinterpret_cast<uintptr_t>(part->Values<int64_t>().data()) % 64 *
                    (column.type == DataType::kBinary ? 0 : 1),
                0);
    }
  }
}

TEST(Slice, SharesWhatBeginsAtAMultipleOf64Bytes) {
  const Batch batch = MakeBatch(128);
  const Batch slice = Slice(batch, 16, 128);
  EXPECT_EQ(slice.Find("key")->data.data(), batch.Find("key")->data.data() + 128);
  EXPECT_EQ(slice.Find("pixels")->data.data(), batch.Find("pixels")->data.data() + 192);
}

TEST(BytesOf, CountsEveryBuffer) {
  EXPECT_EQ(BytesOf(MakeBatch(4)), 4 * 8 + 4 * 12 + (0 + 1 + 2 + 3) + 5 * 8 + 1);
}

}  // namespace
}  // namespace tidemill::batch
