#include "storage/gather/block_pool.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::storage {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

TEST(BlockPool, MemoryThatWasLetGoIsUsedAgain) {
  const std::byte* first = nullptr;
  {
    const batch::Buffer block = TakeBlock(3 * kMegabyte);
    first = block.data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0);
  }
  const batch::Buffer again = TakeBlock(3 * kMegabyte - 5);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(again.size(), 3 * kMegabyte - 5);
}

TEST(BlockPool, ABlockIsNotHandedOutWhileASliceOfItLives) {
  batch::Buffer block = TakeBlock(kMegabyte);
  std::memset(block.mutable_data(), 1, block.size());
  const batch::Buffer slice = block.Slice(10, 20);
  block = {};
  batch::Buffer other = TakeBlock(kMegabyte);
  std::memset(other.mutable_data(), 2, other.size());
  EXPECT_EQ(slice.view(), std::string_view(std::string(20, '\1')));
}

TEST(BlockPool, ASmallBlockDoesNotHoldOnToALargeOne) {
  const std::byte* large = TakeBlock(9 * kMegabyte).data();
  EXPECT_NE(TakeBlock(2 * kMegabyte).data(), large);
}

TEST(BlockPool, NoBytesNeedNoBlock) { EXPECT_TRUE(TakeBlock(0).empty()); }

}  // namespace
}  // namespace tidemill::storage
