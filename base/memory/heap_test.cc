#include "base/memory/heap.h"

#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST(Heap, GivesBackFreeMemoryBelowUsedMemory) {
  constexpr size_t kBlock = 64 << 10;
  constexpr size_t kNumBlocks = 3'200;  // 200 MiB.
  std::vector<std::unique_ptr<char[]>> blocks;
  for (size_t i = 0; i < kNumBlocks; ++i) {
    blocks.push_back(std::make_unique<char[]>(kBlock));
    std::memset(blocks.back().get(), 1, kBlock);
  }
  const std::unique_ptr<char[]> last = std::make_unique<char[]>(kBlock);  // Keeps the end in use.
  EXPECT_FALSE(ReturnFreedPages()) << "all is in use";
  blocks.clear();
  const size_t before = AnonymousBytes();
  EXPECT_TRUE(ReturnFreedPages());
  EXPECT_LT(AnonymousBytes() + kNumBlocks * kBlock * 9 / 10, before);
  EXPECT_FALSE(ReturnFreedPages()) << "there is nothing more to give";
}

// As of a service whose calls come seldom, each on another thread.
TEST(Heap, GivesBackTheLittleThatIsFreeInTheHeapsOfThreads) {
  constexpr size_t kBlock = 1 << 10;
  constexpr size_t kNumBlocks = 8 << 10;  // 8 MiB, in blocks that no heap returns on its own.
  std::vector<std::unique_ptr<char[]>> kept;
  size_t before = 0;
  std::thread caller([&] {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (size_t i = 0; i < kNumBlocks; ++i) {
      blocks.push_back(std::make_unique<char[]>(kBlock));
      std::memset(blocks.back().get(), 1, kBlock);
    }
    kept.push_back(std::move(blocks.back()));
    before = AnonymousBytes();
  });
  caller.join();
  EXPECT_TRUE(ReturnFreedPages());
  EXPECT_LT(AnonymousBytes() + kNumBlocks * kBlock / 2, before);
}

#endif

}  // namespace
}  // namespace tidemill
