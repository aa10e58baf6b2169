// What preparing batches in the training's own process costs beside the graph: no copy of what the
// graph has made, and no socket. Tensors are views of the batches: see tensors.h.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/memory/block_pool.h"
#include "batch/slice.h"
#include "loader/batches/batch_stream.h"
#include "loader/testing/small_set.h"

namespace {

// Allocations of at least this size are counted, in all threads.
std::atomic<size_t> least_counted = std::numeric_limits<size_t>::max();
std::atomic<int64_t> num_counted = 0;

void* Allocate(size_t size, size_t alignment) {
  if (size >= least_counted.load(std::memory_order_relaxed)) ++num_counted;
  void* const memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// Vectors, strings and small buffers of this program come from here; large buffers come from the
// pool of blocks. Not inlined: the compiler would find that what `new` gave is freed.
[[gnu::noinline]] void* operator new(size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.

constexpr int64_t kBatchSize = 64;
constexpr int64_t kNumSamples = 64 * 100;
constexpr int64_t kRowBytes = 32 * 32 * sizeof(float);
constexpr int64_t kBatchBytes = kBatchSize * kRowBytes;
// Rows of the column are 4 KiB, where samples have a few bytes.
constexpr char kLargeGraph[] =
    "- parse_csv: {columns: [a]}\n"
    "- reshape: {column: a, shape: [1, 1]}\n"
    "- resize: {column: a, height: 32, width: 32, into: input}\n"
    "- label: {into: target}\n";

// Samples that can all be read, each call's in one block, as storage gives them.
absl::Status ReadWhole(std::span<const int64_t> keys, const SampleSink& sink) {
  std::vector<std::string> texts;
  for (const int64_t key : keys) texts.push_back(std::to_string(key) + ",x");
  const std::vector<std::string_view> payloads(texts.begin(), texts.end());
  const std::vector<int64_t> labels(keys.size(), 1);
  batch::Batch samples(std::ssize(keys));
  RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("key", keys)));
  RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("class_label", labels)));
  RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
  return sink(std::move(samples), {});
}

// Counts while it lives.
class Counting {
 public:
  explicit Counting(int64_t least) {
    num_counted = 0;
    least_counted = static_cast<size_t>(least);
    // All blocks of the pool are larger.
    EXPECT_LE(least, BlockPool::kLeastBytes);
  }
  ~Counting() { least_counted = std::numeric_limits<size_t>::max(); }
  int64_t count() const { return num_counted + BlockPool::OfProcess().num_taken() - taken_before_; }

 private:
  const int64_t taken_before_ = BlockPool::OfProcess().num_taken();
};

BatchParts PartsOf(const std::shared_ptr<std::atomic<int64_t>>& num_runs) {
  TrainingSet set = MakeSet(kNumSamples);
  // Each call of the reader is one run of the graph, or as many as its samples take.
  const auto read = [num_runs](std::span<const int64_t> keys, const SampleSink& sink) {
    *num_runs += (std::ssize(keys) + 2047) / 2048;
    return ReadWhole(keys, sink);
  };
  return {.set = Shared(std::move(set)), .reader = read, .graph = MakeGraph(kLargeGraph)};
}

// Allocations of a batch's size that one run of the graph makes.
int64_t AllocationsOfARun() {
  const auto graph = MakeGraph(kLargeGraph);
  std::vector<int64_t> keys(2048, 7);
  int64_t count = 0;
  EXPECT_TRUE(ReadWhole(keys, [&](batch::Batch samples, const auto&) {
                EXPECT_TRUE(
                    samples.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, keys)).ok());
                const Counting counting(kBatchBytes);
                const auto made = graph->Run(samples, nullptr);
                count = counting.count();
                return made.status();
              }).ok());
  return count;
}

int NumSockets() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!gone && target.starts_with("socket:")) ++count;
  }
  return count;
}

TEST(InProcess, NothingIsCopiedBetweenTheGraphAndTheBatch) {
  const int64_t of_a_run = AllocationsOfARun();
  ASSERT_GT(of_a_run, 0);
  const auto num_runs = std::make_shared<std::atomic<int64_t>>(0);
  const int num_sockets = NumSockets();
  int64_t num_batches = 0;
  {
    const Counting counting(kBatchBytes);
    auto stream = BatchStream::Create(PartsOf(num_runs), Plan(kBatchSize, 2), {});
    ASSERT_TRUE(stream.ok()) << stream.status().ToString();
    while (const auto batch = (*stream)->Next().value()) {
      EXPECT_EQ(batch->rows.num_rows(), kBatchSize);
      EXPECT_EQ(NumSockets(), num_sockets);
      ++num_batches;
    }
    EXPECT_EQ(counting.count(), *num_runs * of_a_run) << "in " << *num_runs << " runs";
  }
  EXPECT_EQ(num_batches, 2 * kNumSamples / kBatchSize);
}

TEST(InProcess, OnlyABatchThatSpansTwoBlocksOfStorageIsCopiedAndOnce) {
  // Blocks of 96 samples: of three batches in two of them, one spans both.
  BatchParts parts = PartsOf(std::make_shared<std::atomic<int64_t>>(0));
  const auto num_runs = std::make_shared<std::atomic<int64_t>>(0);
  parts.reader = [num_runs](std::span<const int64_t> keys, const SampleSink& sink) {
    for (size_t from = 0; from < keys.size(); from += 96) {
      ++*num_runs;
      RETURN_IF_ERROR(
          ReadWhole(keys.subspan(from, std::min<size_t>(96, keys.size() - from)), sink));
    }
    return absl::OkStatus();
  };
  const int64_t of_a_run = AllocationsOfARun();
  const Counting counting(kBatchBytes);
  auto maker = BatchMaker::Create(std::move(parts), Plan(kBatchSize, 1));
  ASSERT_TRUE(maker.ok()) << maker.status().ToString();
  ASSERT_TRUE((*maker)->Make(0, 30, {}).ok());
  EXPECT_EQ(*num_runs, 20);
  EXPECT_EQ(counting.count(), 20 * of_a_run + 10);
}

}  // namespace
}  // namespace tidemill::loader
