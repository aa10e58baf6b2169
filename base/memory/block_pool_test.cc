#include "base/memory/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace tidemill {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

TEST(BlockPoolTest, HandsOutABlockAgainForAnySizeOfItsStep) {
  BlockPool pool(64 * kMegabyte);
  void* const block = pool.Take(19 * kMegabyte + 1);
  std::memset(block, 1, 19 * kMegabyte + 1);
  pool.Give(block, 19 * kMegabyte + 1);
  EXPECT_EQ(pool.Take(20 * kMegabyte), block);
  void* const other = pool.Take(18 * kMegabyte);
  EXPECT_NE(other, block);
  pool.Give(other, 18 * kMegabyte);
  pool.Give(block, 20 * kMegabyte);
}

TEST(BlockPoolTest, EveryByteOfABlockCanBeWritten) {
  BlockPool pool(0);
  for (const size_t size :
       {kMegabyte, kMegabyte + 1, 3 * kMegabyte - 1, 4 * kMegabyte, 9 * kMegabyte + 7}) {
    void* const block = pool.Take(size);
    std::memset(block, 7, size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 4096, 0);
    EXPECT_EQ(static_cast<char*>(block)[size - 1], 7);
    pool.Give(block, size);
  }
  pool.Trim();
  EXPECT_FALSE(pool.Trim()) << "a pool of 0 bytes keeps nothing";
}

TEST(BlockPoolTest, KeepsNoMoreThanItMay) {
  BlockPool pool(5 * kMegabyte);
  void* const blocks[] = {pool.Take(2 * kMegabyte), pool.Take(2 * kMegabyte),
                          pool.Take(2 * kMegabyte)};
  for (void* const block : blocks) pool.Give(block, 2 * kMegabyte);
  // Two fit: those that were given last.
  EXPECT_EQ(pool.Take(2 * kMegabyte), blocks[2]);
  EXPECT_EQ(pool.Take(2 * kMegabyte), blocks[1]);
  pool.Give(blocks[1], 2 * kMegabyte);
  pool.Give(blocks[2], 2 * kMegabyte);
}

TEST(BlockPoolTest, MakesRoomForTheSizesThatAreUsedNow) {
  BlockPool pool(8 * kMegabyte);
  void* const first[] = {pool.Take(2 * kMegabyte), pool.Take(3 * kMegabyte),
                         pool.Take(2 * kMegabyte)};
  pool.Give(first[0], 2 * kMegabyte);
  pool.Give(first[1], 3 * kMegabyte);
  pool.Give(first[2], 2 * kMegabyte);
  void* const now = pool.Take(4 * kMegabyte);
  pool.Give(now, 4 * kMegabyte);
  EXPECT_EQ(pool.Take(4 * kMegabyte), now);
  EXPECT_EQ(pool.Take(2 * kMegabyte), first[2]) << "the two that were idle for longer are gone";
  pool.Give(now, 4 * kMegabyte);
  pool.Give(first[2], 2 * kMegabyte);
}

TEST(BlockPoolTest, ReturnsWhatNobodyTookBetweenTwoLooks) {
  BlockPool pool(64 * kMegabyte);
  void* const used = pool.Take(kMegabyte);
  void* const unused = pool.Take(kMegabyte);
  pool.Give(unused, kMegabyte);
  pool.Give(used, kMegabyte);
  EXPECT_FALSE(pool.Trim()) << "they have just been given";
  EXPECT_EQ(pool.Take(kMegabyte), used);
  pool.Give(used, kMegabyte);
  EXPECT_TRUE(pool.Trim());
  EXPECT_EQ(pool.Take(kMegabyte), used);
  pool.Give(used, kMegabyte);
}

TEST(BlockPoolTest, SaysThatTheKernelHasNone) {
  BlockPool pool(kMegabyte);
  EXPECT_EQ(pool.Take(size_t{1} << 60), nullptr);
}

}  // namespace
}  // namespace tidemill
