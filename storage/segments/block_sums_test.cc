#include "storage/segments/block_sums.h"

#include <numeric>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using batch::Buffer;
using tidemill::testing::IsOk;

std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

std::string Summed(size_t size) {
  std::string bytes = Bytes(size);
  AppendBlockSums(bytes);
  return bytes;
}

TEST(BlockSums, WhatTheyAreOfIsWhatWasThere) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{8}, kSummedBlockBytes - 1,
                            kSummedBlockBytes, kSummedBlockBytes + 1, 3 * kSummedBlockBytes + 12}) {
    const auto sums = BlockSums::Read(Buffer::FromString(Summed(size)));
    ASSERT_THAT(sums, IsOk());
    ASSERT_NE(*sums, nullptr);
    EXPECT_EQ((*sums)->content().view(), Bytes(size));
    EXPECT_TRUE((*sums)->AllAreSound());
  }
}

TEST(BlockSums, AFileOfBeforeHasNone) {
  for (const size_t size : {0, 1000}) {
    const auto sums = BlockSums::Read(Buffer::FromString(Bytes(size)));
    ASSERT_THAT(sums, IsOk());
    EXPECT_EQ(*sums, nullptr);
  }
}

TEST(BlockSums, EveryFlippedBitIsFound) {
  const std::string whole = Summed(300);
  constexpr size_t kMagicBytes = 8;  // Without them it is a file without sums.
  for (size_t bit = 0; bit < 8 * (whole.size() - kMagicBytes); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const auto sums = BlockSums::Read(Buffer::FromString(flipped));
    EXPECT_TRUE(!sums.ok() || !(*sums)->AllAreSound()) << "bit " << bit;
  }
}

TEST(BlockSums, AFileThatIsCutShortHasNoSums) {
  const std::string whole = Summed(300);
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto sums = BlockSums::Read(Buffer::FromString(whole.substr(0, size)));
    EXPECT_TRUE(!sums.ok() || *sums == nullptr) << size;
  }
}

TEST(BlockSums, ABlockIsComparedWhenItIsTouchedAndOnlyOnce) {
  Buffer file = Buffer::FromString(Summed(4 * kSummedBlockBytes));
  const auto sums = BlockSums::Read(file);
  ASSERT_THAT(sums, IsOk());
  const std::byte* const third = file.data() + 2 * kSummedBlockBytes;
  EXPECT_TRUE((*sums)->AreSound(file.data(), 2 * kSummedBlockBytes));
  file.mutable_data()[0] ^= std::byte{1};  // Was compared.
  file.mutable_data()[2 * kSummedBlockBytes] ^= std::byte{1};
  EXPECT_TRUE((*sums)->AreSound(file.data(), 2 * kSummedBlockBytes));
  EXPECT_TRUE((*sums)->AreSound(third + kSummedBlockBytes, 1));
  EXPECT_FALSE((*sums)->AreSound(third - 1, 2));
  EXPECT_FALSE((*sums)->AreSound(third, 1));
  EXPECT_FALSE((*sums)->AllAreSound());
}

TEST(BlockSums, BytesElsewhereHaveNone) {
  const auto sums = BlockSums::Read(Buffer::FromString(Summed(100)));
  ASSERT_THAT(sums, IsOk());
  const std::string other = "x";
  EXPECT_TRUE((*sums)->AreSound(other.data(), other.size()));
}

}  // namespace
}  // namespace tidemill::storage
