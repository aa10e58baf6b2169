#include "batch/wire.h"

#include <cstring>
#include <random>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::batch {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

class Generator {
 public:
  explicit Generator(uint32_t seed) : engine_(seed) {}

  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(engine_);
  }

  std::string RandomString(int64_t size) {
    std::string bytes(static_cast<size_t>(size), '\0');
    for (char& byte : bytes) byte = static_cast<char>(Below(256));
    return bytes;
  }

  Column RandomColumn(int64_t num_rows, std::string name) {
    Column column{.name = std::move(name), .type = static_cast<DataType>(1 + Below(6))};
    if (column.type == DataType::kBinary) {
      std::vector<std::string> values;
      for (int64_t row = 0; row < num_rows; ++row) values.push_back(RandomString(Below(40)));
      const std::vector<std::string_view> views(values.begin(), values.end());
      column = MakeBinaryColumn(column.name, views);
    } else {
      for (int64_t i = Below(3); i > 0; --i) column.shape.push_back(Below(4));
      const int64_t bytes = num_rows * column.Width() * static_cast<int64_t>(SizeOf(column.type));
      column.data = Buffer::FromString(RandomString(bytes));
    }
    if (Below(2) == 0) column.validity = Buffer::FromString(RandomString((num_rows + 7) / 8));
    return column;
  }

  Batch RandomBatch() {
    Batch batch(Below(30));
    for (int64_t i = Below(6); i > 0; --i) {
      EXPECT_THAT(batch.Set(RandomColumn(batch.num_rows(), RandomString(Below(20)))), IsOk());
    }
    return batch;
  }

 private:
  std::mt19937 engine_;
};

void ExpectSameContent(const Batch& got, const Batch& want) {
  ASSERT_EQ(got.num_rows(), want.num_rows());
  ASSERT_EQ(got.columns().size(), want.columns().size());
  for (size_t i = 0; i < want.columns().size(); ++i) {
    const Column& column = got.columns()[i];
    const Column& expected = want.columns()[i];
    EXPECT_EQ(column.name, expected.name);
    EXPECT_EQ(column.type, expected.type);
    EXPECT_EQ(column.shape, expected.shape);
    EXPECT_EQ(column.data.view(), expected.data.view());
    EXPECT_EQ(column.offsets.view(), expected.offsets.view());
    EXPECT_EQ(column.validity.view(), expected.validity.view());
  }
}

// Looks at every byte of every row, so that a sanitizer sees a row outside its buffer.
size_t Touch(const Batch& batch) {
  size_t sum = 0;
  for (const Column& column : batch.columns()) {
    for (const std::byte byte : std::span(column.data.data(), column.data.size())) {
      sum += static_cast<size_t>(byte);
    }
    if (column.type != DataType::kBinary && column.validity.empty()) continue;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      sum += column.IsValid(row) ? 1 : 0;
      if (column.type == DataType::kBinary) sum += column.Bytes(row).size();
    }
  }
  return sum;
}

TEST(Wire, RandomBatchesComeBackByContent) {
  Generator generator(1);
  for (int i = 0; i < 300; ++i) {
    const Batch batch = generator.RandomBatch();
    const std::string bytes = Encode(batch);
    EXPECT_EQ(bytes.size(), EncodedSize(batch));
    const auto decoded = Decode(Buffer::FromString(bytes));
    ASSERT_THAT(decoded, IsOk());
    ExpectSameContent(*decoded, batch);
  }
}

TEST(Wire, PartsAreTheSameBytesWithoutACopyOfTheColumns) {
  Generator generator(5);
  for (int i = 0; i < 300; ++i) {
    const Batch batch = generator.RandomBatch();
    std::string joined;
    for (const Buffer& part : EncodeParts(batch)) joined += part.view();
    ASSERT_EQ(joined, Encode(batch));
  }
  Batch batch(2);
  ASSERT_THAT(batch.Set(MakeColumn<int64_t>(kKeyColumn, std::vector<int64_t>{1, 2})), IsOk());
  EXPECT_EQ(EncodeParts(batch).back().data(), batch.Find(kKeyColumn)->data.data());
}

TEST(Wire, EveryTruncationIsDataLoss) {
  Generator generator(2);
  for (int i = 0; i < 20; ++i) {
    const std::string bytes = Encode(generator.RandomBatch());
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_THAT(Decode(Buffer::FromString(bytes.substr(0, size))),
                  StatusIs(absl::StatusCode::kDataLoss, _));
    }
  }
}

TEST(Wire, FlippedBytesAreDataLossOrAWellFormedBatch) {
  Generator generator(3);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = Encode(generator.RandomBatch());
    for (int j = 0; j < 100; ++j) {
      std::string flipped = bytes;
      // Most of the structure is at the front: aim half of the flips there.
      const auto size = static_cast<int64_t>(bytes.size());
      const int64_t at = generator.Below(j % 2 == 0 ? std::min<int64_t>(size, 200) : size);
      char& byte = flipped[static_cast<size_t>(at)];
      byte = static_cast<char>(byte ^ static_cast<char>(1 + generator.Below(255)));
      const auto decoded = Decode(Buffer::FromString(flipped));
      if (decoded.ok()) {
        Touch(*decoded);
      } else {
        ASSERT_THAT(decoded, StatusIs(absl::StatusCode::kDataLoss, _));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Wire, BytesAtAnOddAddressAreRead) {
  const Batch batch = Generator(4).RandomBatch();
  const std::string bytes = Encode(batch);
  const Buffer shifted = Buffer::FromString("x" + bytes);
  const auto decoded = Decode(shifted.Slice(1, bytes.size()));
  ASSERT_THAT(decoded, IsOk());
  ExpectSameContent(*decoded, batch);
}

TEST(Wire, ColumnsAreViewsOfTheReceivedBytes) {
  Batch batch(2);
  ASSERT_THAT(batch.Set(MakeColumn<int64_t>(kKeyColumn, std::vector<int64_t>{1, 2})), IsOk());
  const Buffer bytes = Buffer::FromString(Encode(batch));
  const auto decoded = Decode(bytes);
  ASSERT_THAT(decoded, IsOk());
  const std::byte* data = decoded->Find(kKeyColumn)->data.data();
  EXPECT_GE(data, bytes.data());
  EXPECT_LT(data, bytes.data() + bytes.size());
}

TEST(Wire, OtherBytesAreRefusedByName) {
  EXPECT_THAT(Decode(Buffer::FromString(std::string(100, 'x'))),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a batch")));
}

}  // namespace
}  // namespace tidemill::batch
