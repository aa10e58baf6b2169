// Consumers of one stream: what they see, and how often samples are prepared.
#include "loader/batches/shared_rows.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <fstream>
#include <random>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/shared/testing/shared_set.h"

namespace tidemill::loader {
namespace {

using testing::DigestOf;
using testing::Plan;
using testing::SharedFolder;
using testing::SharedParts;
using testing::SharingIn;
using testing::Unshared;
using tidemill::testing::IsOk;
using SharingPointer = std::shared_ptr<const Sharing>;

// The bytes of a chunk of the set, and a little.
constexpr int64_t kChunkBytes = int64_t{68} * 16'500;

std::unique_ptr<BatchStream> Open(const SharingPointer& sharing, const BatchPlan& plan,
                                  int num_threads = 2) {
  auto stream = BatchStream::Create(SharedParts(sharing), plan,
                                    {.num_threads = num_threads, .bytes_ahead = int64_t{4} << 20});
  EXPECT_THAT(stream, IsOk());
  return *std::move(stream);
}

std::unique_ptr<const BatchMaker> MakerOf(const SharingPointer& sharing, const BatchPlan& plan) {
  auto maker = BatchMaker::Create(SharedParts(sharing), plan);
  EXPECT_THAT(maker, IsOk());
  return *std::move(maker);
}

std::string Make(const BatchMaker& maker, int64_t number) {
  const auto made = maker.Make(number, number + 1, {});
  EXPECT_THAT(made, IsOk());
  return made.ok() ? DigestOf(made->front()) : "";
}

// The digests of all batches.
std::vector<std::string> Drain(BatchStream& stream) {
  std::vector<std::string> digests;
  for (;;) {
    const auto batch = stream.Next();
    EXPECT_THAT(batch, IsOk());
    if (!batch.ok() || !*batch) return digests;
    digests.push_back(DigestOf(**batch));
  }
}

// How many samples the graph has prepared.
int64_t GraphRows(const PathWork& work) { return work.ops.at(0).work.rows; }

// The same number of a consumer that is alone.
int64_t RowsAlone(const BatchPlan& plan) {
  const auto maker = MakerOf(nullptr, plan);
  for (int64_t number = 0; number < maker->end(); ++number) Make(*maker, number);
  return GraphRows(maker->work());
}

class SharedRowsOf : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, SharedRowsOf, ::testing::Bool(),
                         [](const auto& suite) { return suite.param ? "Strict" : "Window"; });

TEST(SharedRows, AreInChunksOfTheGraphAlone) {
  EXPECT_EQ(ChunkSize(*testing::MakeGraph(testing::kWideGraph)), 64);
  EXPECT_EQ(ChunkSize(*testing::MakeGraph()), 4096);
}

TEST(SharedRows, AStreamIsNamedByAllThatItsRowsDependOn) {
  const BatchParts parts = SharedParts(SharingIn("/x", false));
  const BatchPlan plan = Plan(8, 1);
  const std::string name = StreamName(parts, plan);
  BatchPlan same = plan;
  same.batch_size = 100;
  same.epochs = 7;
  same.last_batch = LastBatch::kDrop;
  same.first_batch = 3;
  EXPECT_EQ(StreamName(parts, same), name);
  const auto differs = [&](const auto& change) {
    BatchParts other_parts = parts;
    BatchPlan other = plan;
    change(other_parts, other);
    return StreamName(other_parts, other) != name;
  };
  EXPECT_TRUE(differs([](auto&, auto& other) { other.shuffle.seed = 8; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.shuffle.trigger = 4; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.shuffle.purpose = "held_out"; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.order = models::InStreamOrder(); }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.training = false; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.standardize_target = false; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.part = 1; }));
  EXPECT_TRUE(differs([](auto&, auto& other) { other.draw = RepeatedDraw{.samples = 5}; }));
  EXPECT_TRUE(differs([](auto&, auto& other) {
    other.subset = std::make_shared<const Subset>(Subset{.ordinals = {1, 2}});
  }));
  EXPECT_TRUE(differs([](auto& other, auto&) { other.graph = testing::MakeGraph(); }));
  EXPECT_TRUE(differs([](auto& other, auto&) {
    other.set = testing::Shared(testing::MakeSet(testing::kSharedSamples - 1));
  }));
  EXPECT_TRUE(differs([](auto& other, auto&) {
    other.sharing = std::make_shared<const Sharing>(Sharing{.folder = "/x", .origin = "dataset 2"});
  }));
}

TEST(SharedRows, AreNotThoseOfPlansThatDependOnTheSizeOfBatches) {
  const BatchParts parts = SharedParts(SharingIn("/x", false));
  EXPECT_TRUE(CanShare(parts, Plan(8, 1)));
  EXPECT_FALSE(CanShare(SharedParts(nullptr), Plan(8, 1)));
  EXPECT_FALSE(CanShare(SharedParts(SharingIn("/x", false, 0)), Plan(8, 1)));
  BatchPlan buckets = Plan(8, 1);
  buckets.buckets = models::Buckets();
  EXPECT_FALSE(CanShare(parts, buckets));
  BatchPlan slices = Plan(8, 1);
  slices.num_slices = 2;
  EXPECT_FALSE(CanShare(parts, slices));
}

TEST(SharedRows, OfAConsumerThatIsAloneAreNotWritten) {
  const SharedFolder folder;
  const auto maker = MakerOf(SharingIn(folder.path(), false), Plan(32, 1));
  EXPECT_EQ(Make(*maker, 0), Unshared(Plan(32, 1))[0]);
  EXPECT_TRUE(folder.Chunks().empty());
  EXPECT_EQ(maker->work().shared, SharedWork());
}

// Consumers that begin together, and continue at any speed.
TEST_P(SharedRowsOf, ConsumersWithOtherSizesOfBatchesPrepareEachSampleOnce) {
  const SharedFolder folder;
  std::vector<BatchPlan> plans = {Plan(8, 2), Plan(32, 2), Plan(100, 2)};
  const int64_t alone = RowsAlone(plans[0]);
  std::vector<std::unique_ptr<BatchStream>> streams;
  std::vector<std::vector<std::string>> seen(plans.size());
  std::atomic<int64_t> prepared = 0;
  std::barrier begun(static_cast<std::ptrdiff_t>(plans.size()));
  {
    std::vector<std::jthread> consumers;
    for (size_t i = 0; i < plans.size(); ++i) {
      consumers.emplace_back([&, i] {
        // All have joined before the first one needs a second chunk.
        const auto maker = MakerOf(SharingIn(folder.path(), GetParam()), plans[i]);
        seen[i].push_back(Make(*maker, 0));
        begun.arrive_and_wait();
        for (int64_t number = 1; number < maker->end(); ++number) {
          seen[i].push_back(Make(*maker, number));
        }
        prepared += GraphRows(maker->work());
        EXPECT_EQ(maker->work().shared.failed, 0);
      });
    }
  }
  for (size_t i = 0; i < plans.size(); ++i) EXPECT_TRUE(seen[i] == Unshared(plans[i])) << i;
  if (GetParam()) {
    EXPECT_EQ(prepared, alone);
  } else {
    // The first of them may have been alone in its first batch.
    EXPECT_LE(prepared, alone + 2 * 100);
  }
  EXPECT_TRUE(folder.IsGone());
}

// Takes batches until it leaves. Each must be the expected one.
void Consume(BatchSource& stream, const std::vector<std::string>& expected, size_t leaves_at,
             std::mt19937& random) {
  for (size_t i = 0; i < expected.size() && i < leaves_at; ++i) {
    const auto batch = stream.Next();
    ASSERT_THAT(batch, IsOk());
    ASSERT_EQ(DigestOf(**batch), expected[i]);
    // Others go first.
    for (uint32_t pause = random() % 16; pause > 0; --pause) std::this_thread::yield();
  }
}

// Each consumer sees its own batches.
TEST_P(SharedRowsOf, ConsumersThatJoinAndLeaveAtAnyTimeSeeTheirOwnBatches) {
  for (const int64_t window : {kChunkBytes, 3 * kChunkBytes, int64_t{64} << 20}) {
    const SharedFolder folder;
    std::vector<std::jthread> consumers;
    for (uint32_t seed = 0; seed < 6; ++seed) {
      consumers.emplace_back([&, seed] {
        std::mt19937 random(seed);
        for (int round = 0; round < 3; ++round) {
          BatchPlan plan = Plan(std::array{8, 32, 100}[random() % 3], 2);
          plan.last_batch = std::array{LastBatch::kKeep, LastBatch::kDrop, LastBatch::kWrap,
                                       LastBatch::kPad}[random() % 4];
          plan.first_batch = static_cast<int64_t>(random() % 8);
          const std::vector<std::string> expected = Unshared(plan);
          const bool is_strict = GetParam() && random() % 3 != 0;
          const auto stream = Open(SharingIn(folder.path(), is_strict, window), plan,
                                   1 + static_cast<int>(random() % 3));
          const size_t leaves_at = random() % (2 * expected.size());
          Consume(*stream, expected, leaves_at, random);
        }
      });
    }
    consumers.clear();
    EXPECT_TRUE(folder.IsGone());
  }
}

TEST(SharedRows, ASlowConsumerHoldsUpNoOtherAndMakesAgainWhatIsGone) {
  const SharedFolder folder;
  const SharingPointer sharing = SharingIn(folder.path(), false, 3 * kChunkBytes);
  const auto slow = MakerOf(sharing, Plan(32, 2));
  const std::vector<std::string> expected = Unshared(Plan(32, 2));
  EXPECT_EQ(Make(*slow, 0), expected[0]);
  // The slow one takes nothing while the fast one takes all.
  const auto fast = Open(sharing, Plan(32, 2));
  EXPECT_TRUE(Drain(*fast) == expected);
  // Each of the two threads may exceed the window by a chunk.
  EXPECT_LE(folder.Chunks().size(), 5u) << "a window";
  for (int64_t number = 1; number < slow->end(); ++number) {
    EXPECT_EQ(Make(*slow, number), expected[static_cast<size_t>(number)]);
  }
  const SharedWork work = slow->work().shared;
  EXPECT_GT(work.taken, 2 * 50) << "what was in the window";
  EXPECT_GT(work.again, 20 * 50) << "the rest";
}

TEST(SharedRows, ALateConsumerCatchesUpWithTheOthers) {
  const SharedFolder folder;
  const SharingPointer sharing = SharingIn(folder.path(), false, 4 * kChunkBytes);
  const BatchPlan plan = Plan(64, 4);
  const std::vector<std::string> expected = Unshared(plan);
  const auto first = MakerOf(sharing, plan);
  const auto late = MakerOf(sharing, plan);
  int64_t next = 12;
  for (int64_t number = 0; number < next; ++number) Make(*first, number);
  int64_t next_of_late = 0;
  // Preparing takes both the same time: whoever prepares has a turn, whoever takes continues.
  while (next < first->end() && next_of_late < next) {
    EXPECT_EQ(Make(*first, next), expected[static_cast<size_t>(next)]);
    ++next;
    const int64_t before = GraphRows(late->work());
    while (next_of_late < next && GraphRows(late->work()) == before) {
      EXPECT_EQ(Make(*late, next_of_late), expected[static_cast<size_t>(next_of_late)]);
      ++next_of_late;
    }
  }
  EXPECT_EQ(next_of_late, next);
  EXPECT_LT(next, first->end()) << "before the end";
}

TEST(SharedRows, AStrictConsumerWaitsForTheSlowestAndNoLongerOnceThatLeaves) {
  const SharedFolder folder;
  const SharingPointer sharing = SharingIn(folder.path(), true, 3 * kChunkBytes);
  const std::vector<std::string> expected = Unshared(Plan(32, 1));
  auto slow = MakerOf(sharing, Plan(32, 1));
  const auto fast = MakerOf(sharing, Plan(32, 1));
  EXPECT_EQ(Make(*slow, 0), expected[0]);
  EXPECT_EQ(Make(*fast, 0), expected[0]);
  std::atomic<int64_t> seen = 1;
  std::jthread rest([&] {
    for (int64_t number = 1; number < fast->end(); ++number) {
      EXPECT_EQ(Make(*fast, number), expected[static_cast<size_t>(number)]);
      ++seen;
    }
  });
  // It fills the window and waits.
  while (fast->work().shared.made + fast->work().shared.taken < 3 * 50) std::this_thread::yield();
  for (int64_t number = 1; number < 8; ++number) {
    EXPECT_EQ(Make(*slow, number), expected[static_cast<size_t>(number)]);
  }
  EXPECT_LT(seen, fast->end());
  EXPECT_EQ(slow->work().shared.again, 0);
  slow.reset();
  rest.join();
  EXPECT_EQ(seen, fast->end());
  EXPECT_EQ(fast->work().shared.again, 0);
}

TEST(SharedRows, ADamagedChunkIsMadeAgain) {
  const SharedFolder folder;
  const SharingPointer sharing = SharingIn(folder.path(), true);
  const auto first = MakerOf(sharing, Plan(32, 1));
  for (int64_t number = 0; number < first->end(); ++number) Make(*first, number);
  ASSERT_EQ(folder.Chunks().size(), 16u) << "a strict one keeps them for others";
  {
    std::fstream file(folder.Chunks()[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('\x55');
  }
  std::filesystem::resize_file(folder.Chunks()[1], 100'000);
  const auto second = Open(sharing, Plan(32, 1));
  EXPECT_TRUE(Drain(*second) == Unshared(Plan(32, 1)));
  // Two threads may meet the same damage.
  EXPECT_GE(second->work().shared.failed, 2);
  EXPECT_GT(second->work().shared.again, 0);
}

TEST_P(SharedRowsOf, AFolderThatIsRemovedIsNotMissed) {
  const SharedFolder folder;
  const SharingPointer sharing = SharingIn(folder.path(), GetParam());
  const auto first = MakerOf(sharing, Plan(32, 1));
  const auto second = MakerOf(sharing, Plan(32, 1));
  const std::vector<std::string> expected = Unshared(Plan(32, 1));
  for (int64_t number = 0; number < first->end(); ++number) {
    if (number == 10) std::filesystem::remove_all(folder.path());
    EXPECT_EQ(Make(*first, number), expected[static_cast<size_t>(number)]);
    EXPECT_EQ(Make(*second, number), expected[static_cast<size_t>(number)]);
  }
  EXPECT_GT(first->work().shared.failed + second->work().shared.failed, 0);
}

TEST(SharedRows, WithoutSharedMemoryEachConsumerMakesItsOwn) {
  const SharingPointer nowhere = SharingIn("/proc/tidemill-test", false);
  const auto first = Open(nowhere, Plan(32, 1));
  EXPECT_TRUE(Drain(*first) == Unshared(Plan(32, 1)));
}

// Files of at most `bytes`, for the rest of a test.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  const sighandler_t handler_;
  rlimit before_ = {};
};

TEST(SharedRows, FullSharedMemoryCostsTimeOnly) {
  const SharedFolder folder;
  const FileLimit limit(200'000);
  const SharingPointer sharing = SharingIn(folder.path(), false);
  const auto first = MakerOf(sharing, Plan(32, 1));
  const auto second = MakerOf(sharing, Plan(32, 1));
  const std::vector<std::string> expected = Unshared(Plan(32, 1));
  for (int64_t number = 0; number < first->end(); ++number) {
    EXPECT_EQ(Make(*first, number), expected[static_cast<size_t>(number)]);
    EXPECT_EQ(Make(*second, number), expected[static_cast<size_t>(number)]);
  }
  EXPECT_TRUE(folder.Chunks().empty());
  EXPECT_GT(first->work().shared.failed, 0);
}

TEST(SharedRows, EveryConsumerReportsTheSamplesThatItCouldNotUse) {
  const SharedFolder folder;
  std::vector<int64_t> reported[2];
  std::unique_ptr<const BatchMaker> makers[2];
  for (size_t i = 0; i < 2; ++i) {
    BatchParts parts = SharedParts(SharingIn(folder.path(), true));
    parts.bad = std::make_shared<BadSamples>(
        [&, i](std::span<const int64_t> keys, std::span<const std::string>) {
          reported[i].insert(reported[i].end(), keys.begin(), keys.end());
          return absl::OkStatus();
        });
    makers[i] = *BatchMaker::Create(std::move(parts), Plan(32, 1));
  }
  for (const auto& maker : makers) {
    for (int64_t number = 0; number < maker->end(); ++number) Make(*maker, number);
  }
  EXPECT_EQ(GraphRows(makers[1]->work()), 0);
  for (auto& maker : makers) maker.reset();
  for (auto& keys : reported) std::ranges::sort(keys);
  EXPECT_FALSE(reported[0].empty());
  EXPECT_EQ(reported[0], reported[1]);
}

// shared_consumer, which is beside this program.
class ConsumerProcess {
 public:
  explicit ConsumerProcess(std::vector<std::string> arguments) {
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shared_consumer";
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int output[2] = {-1, -1};
    EXPECT_EQ(pipe2(output, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&process_, program.c_str(), &actions, nullptr, pointers.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    close(output[1]);
    output_ = fdopen(output[0], "r");
  }
  ConsumerProcess(const ConsumerProcess&) = delete;
  ConsumerProcess& operator=(const ConsumerProcess&) = delete;
  ~ConsumerProcess() { fclose(output_); }

  // Returns the lines that it writes until it ends.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    char line[128] = {};
    while (fgets(line, sizeof(line), output_) != nullptr) {
      lines.emplace_back(line, strcspn(line, "\n"));
    }
    return lines;
  }
  int Wait() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return status;
  }

 private:
  pid_t process_ = 0;
  FILE* output_ = nullptr;
};

TEST_P(SharedRowsOf, AConsumerThatIsKilledWhileItMakesAChunkTakesNothingFromOthers) {
  const std::vector<std::string> expected = Unshared(Plan(32, 2));
  const std::string mode = GetParam() ? "strict" : "window";
  for (const char* const die_at : {"5", "400", "900"}) {
    const SharedFolder folder;
    const auto consumer = [&](const char* batch_size, const char* dies) {
      return std::make_unique<ConsumerProcess>(
          std::vector<std::string>{folder.path(), mode, batch_size, "2", dies});
    };
    const auto killed = consumer("8", die_at);
    const auto second = consumer("32", "-1");
    const auto third = consumer("100", "-1");
    std::vector<std::string> of_third;
    std::jthread reader([&] { of_third = third->Lines(); });
    std::vector<std::string> of_killed;
    std::jthread other([&] { of_killed = killed->Lines(); });
    EXPECT_TRUE(second->Lines() == expected);
    reader.join();
    other.join();
    EXPECT_TRUE(of_third == Unshared(Plan(100, 2)));
    EXPECT_EQ(second->Wait(), 0);
    EXPECT_EQ(third->Wait(), 0);
    const int status = killed->Wait();
    // Another one may have prepared that sample for it, in both epochs.
    EXPECT_TRUE(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    const std::vector<std::string> all = Unshared(Plan(8, 2));
    ASSERT_LE(of_killed.size(), all.size());
    EXPECT_TRUE(std::equal(of_killed.begin(), of_killed.end(), all.begin()));
    EXPECT_TRUE(folder.IsGone());
  }
}

}  // namespace
}  // namespace tidemill::loader
