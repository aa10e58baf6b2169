// What a worker takes of memory while its consumer stands still, with real processes.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/mutex.h"
#include "base/testing/status_matchers.h"
#include "tests/own_worker.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::JobSpec;
using preprocess::Transport;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kBudget = 96 * kMegabyte;
constexpr int64_t kRingBytes = 32 * kMegabyte;
constexpr int kThreads = 2;
constexpr std::chrono::milliseconds kLookInterval{5};
// Besides the budget, and a batch for each thread that prepares one: the program itself, and what
// its heap keeps to use again.
constexpr int64_t kProgram = 32 * kMegabyte;
// 64 rows of 128 * 128 numbers.
constexpr int64_t kLargeBatchSize = 64;
constexpr int64_t kBatchBytes = 4 * kMegabyte;
constexpr char kLargeGraph[] =
    "- parse_csv: {columns: [a]}\n"
    "- reshape: {column: a, shape: [1, 1]}\n"
    "- resize: {column: a, height: 128, width: 128, into: input}\n"
    "- label: {into: target}\n";

struct Memory {
  int64_t anonymous = 0;
  int64_t shared = 0;
};

Memory MemoryOf(int process) {
  Memory memory;
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    int64_t kilobytes = 0;
    words >> name >> kilobytes;
    if (name == "RssAnon:") memory.anonymous = kilobytes << 10;
    if (name == "RssShmem:") memory.shared = kilobytes << 10;
  }
  return memory;
}

std::chrono::seconds StallTime() {
  const char* const text = getenv("TIDEMILL_STALL_SECONDS");
  return std::chrono::seconds{text == nullptr ? 5 : std::atoi(text)};
}

// The most that a process had, looked at again and again.
Memory MostWithin(int process, std::chrono::seconds time) {
  Mutex mutex;
  CondVar never;
  Memory most;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    const Memory now = MemoryOf(process);
    most.anonymous = std::max(most.anonymous, now.anonymous);
    most.shared = std::max(most.shared, now.shared);
    MutexLock lock(mutex);
    never.wait_for(mutex, kLookInterval);
  }
  return most;
}

class WorkerMemory : public ::testing::TestWithParam<Transport> {};

TEST_P(WorkerMemory, IsWithinTheBudgetWhileTheConsumerStandsStill) {
  const PreparedSet set(20'000, 1);
  set.DrainWorkers();
  const OwnWorker worker(
      set.stack(), "small", "unix:" + set.stack().files() + "/small",
      fmt::format("  threads: {}\n  budget: {}MiB\n", kThreads, kBudget / kMegabyte));
  JobSpec job = set.Job(kLargeBatchSize, 100);
  job.graph = kLargeGraph;
  // Nothing but the worker's budget bounds what it makes.
  const auto source = set.Consume(job, 0, 0,
                                  {.link = {.transport = GetParam(), .ring_bytes = kRingBytes},
                                   .bytes_ahead = int64_t{2} << 30,
                                   .patience = std::chrono::minutes{5}});
  // It has done all that it does for the first time.
  ASSERT_TRUE(source->Next().value().has_value());
  const Memory most = MostWithin(worker.process(), StallTime());
  fmt::print(stderr, "{} MiB of its own, {} MiB shared\n", most.anonymous / kMegabyte,
             most.shared / kMegabyte);
  EXPECT_LE(most.anonymous, kBudget * 11 / 10 + kThreads * kBatchBytes + kProgram);
  EXPECT_LE(most.shared, kRingBytes * 11 / 10);
  // It continues where it stood.
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(source->Next().value().has_value());
  EXPECT_EQ(source->counters().num_made_here, 0);
}

INSTANTIATE_TEST_SUITE_P(Transports, WorkerMemory,
                         ::testing::Values(Transport::kRing, Transport::kFrames),
                         [](const ::testing::TestParamInfo<Transport>& tested) {
                           return tested.param == Transport::kRing ? "Ring" : "Frames";
                         });

}  // namespace
}  // namespace tidemill::tests
