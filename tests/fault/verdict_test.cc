// What limits is named: each limit is injected, much greater than anything else, into the making of
// batches in this process and by workers.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "loader/batches/batch_stream.h"
#include "loader/path/path_verdict.h"
#include "loader/testing/small_set.h"
#include "tests/own_worker.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using loader::PathLimit;
using loader::PathVerdict;
using ::tidemill::testing::IsOk;
using Clock = std::chrono::steady_clock;

constexpr int64_t kNumSamples = 20'000;
constexpr int64_t kBatchSize = 64;
// More epochs than anybody looks at.
constexpr int64_t kEpochs = 1000;
// The time of a look at a training, from its first batch on.
constexpr std::chrono::seconds kLook{3};
// What a step of a slow trainer takes: a hundred times what making a batch does.
constexpr std::chrono::milliseconds kSlowStep{30};

// For each piece that is read, of some twenty samples here and some thousand at workers.
constexpr char kDelayHere[] = "- delay: {milliseconds: 5}\n";
constexpr char kDelay[] = "- delay: {milliseconds: 100}\n";
// Much arithmetic for each sample.
constexpr char kArithmetic[] =
    "- parse_csv: {columns: [a]}\n"
    "- reshape: {column: a, shape: [1, 1]}\n"
    "- resize: {column: a, height: 64, width: 64}\n"
    "- crop: {column: a, height: 1, width: 1}\n"
    "- reshape: {column: a, shape: [1], into: input}\n"
    "- label: {into: target}\n";

// Processes that want every processor there is, several times over, until destroyed.
class BusyMachine {
 public:
  BusyMachine() {
    const long count = 6 * sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();  // Kernels share processors among sessions first.
        for (std::atomic<uint64_t> counter = 0;; ++counter) {
        }
      }
      if (child > 0) processes_.push_back(child);
    }
  }
  ~BusyMachine() {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> processes_;
};

// A training step that keeps a processor busy.
void Compute(std::chrono::milliseconds time) {
  std::string text = "0";
  for (const auto end = Clock::now() + time; Clock::now() < end;) text = Sha256(text);
}

// Trains on a source for a while, with steps that take so long.
PathVerdict VerdictOf(loader::BatchSource& source, std::chrono::milliseconds step = {}) {
  EXPECT_THAT(source.Next(), IsOk());
  const auto begin = Clock::now();
  Clock::duration waited{0};
  while (Clock::now() < begin + kLook) {
    const auto asked = Clock::now();
    const auto next = source.Next();
    waited += Clock::now() - asked;
    EXPECT_THAT(next, IsOk());
    if (!next.ok() || !next->has_value()) break;
    if (step.count() > 0) Compute(step);
  }
  const auto share = std::chrono::duration<double>(waited) / (Clock::now() - begin);
  const loader::PathWork work = source.work();
  const PathVerdict verdict = loader::Judge(share, work);
  fmt::print(stderr,
             "{}\n  {} batches, busy {} of {} ms: cpu {}, queue {}, read {}; link {} of {} ms\n",
             verdict.ToText(), work.batches, work.busy_ns / 1'000'000, work.capacity_ns / 1'000'000,
             work.cpu_ns / 1'000'000, work.queue_ns / 1'000'000, work.read_ns / 1'000'000,
             work.link_busy_ns / 1'000'000, work.link_ns / 1'000'000);
  return verdict;
}

std::unique_ptr<loader::BatchStream> MakeHere(const std::string& graph,
                                              loader::SampleReader reader) {
  loader::BatchParts parts{.set = loader::testing::Shared(loader::testing::MakeSet(kNumSamples)),
                           .reader = std::move(reader),
                           .graph = loader::testing::MakeGraph(graph.c_str())};
  auto stream = loader::BatchStream::Create(
      std::move(parts), loader::testing::Plan(kBatchSize, kEpochs), {.num_threads = 2});
  EXPECT_THAT(stream, IsOk());
  return *std::move(stream);
}

TEST(VerdictHere, NamesAnOp) {
  const auto source = MakeHere(std::string(kDelayHere) + loader::testing::kPlainGraph,
                               loader::testing::ReadSamples);
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kOp) << verdict.ToText();
  EXPECT_EQ(verdict.op, "delay");
}

TEST(VerdictHere, NamesStorage) {
  ASSERT_THAT(failpoints::Arm("test.slow_storage=delay:200ms"), IsOk());
  const auto slow = [](std::span<const int64_t> keys, const loader::SampleSink& sink) {
    RETURN_IF_ERROR(failpoints::Pass("test.slow_storage"));
    return loader::testing::ReadSamples(keys, sink);
  };
  const auto source = MakeHere(loader::testing::kPlainGraph, slow);
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kStorage) << verdict.ToText();
}

TEST(VerdictHere, NamesTheTrainer) {
  const auto source = MakeHere(loader::testing::kPlainGraph, loader::testing::ReadSamples);
  const PathVerdict verdict = VerdictOf(*source, kSlowStep);
  EXPECT_EQ(verdict.limit, PathLimit::kTrainer) << verdict.ToText();
}

TEST(VerdictHere, NamesCores) {
  const BusyMachine busy;
  const auto source = MakeHere(kArithmetic, loader::testing::ReadSamples);
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kCores) << verdict.ToText();
}

// One stack with a worker for what needs nothing special of it.
class VerdictOfWorkers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { set_ = new PreparedSet(kNumSamples, 1); }
  static void TearDownTestSuite() {
    delete set_;
    set_ = nullptr;
  }

  static PreparedSet* set_;
};

PreparedSet* VerdictOfWorkers::set_ = nullptr;

TEST_F(VerdictOfWorkers, NamesAnOp) {
  const auto source = set_->Consume(set_->Job(kBatchSize, kEpochs, kDelay));
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kOp) << verdict.ToText();
  EXPECT_EQ(verdict.op, "delay");
}

TEST_F(VerdictOfWorkers, NamesTheTrainer) {
  const auto source = set_->Consume(set_->Job(kBatchSize, kEpochs));
  const PathVerdict verdict = VerdictOf(*source, kSlowStep);
  EXPECT_EQ(verdict.limit, PathLimit::kTrainer) << verdict.ToText();
}

TEST_F(VerdictOfWorkers, NamesCores) {
  preprocess::JobSpec job = set_->Job(kBatchSize, kEpochs);
  job.graph = kArithmetic;
  const BusyMachine busy;  // Before anything can be prepared ahead.
  const auto source = set_->Consume(job);
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kCores) << verdict.ToText();
}

TEST(VerdictOfSlowStorage, NamesStorage) {
  const PreparedSet set(kNumSamples, 1,
                        {{"TIDEMILL_FAILPOINTS", "storage.send_block=delay:200ms"}});
  const auto source = set.Consume(set.Job(kBatchSize, kEpochs));
  const PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(verdict.limit, PathLimit::kStorage) << verdict.ToText();
}

// What one worker alone gives, through a network such as this.
PathVerdict VerdictThrough(const Throttle& throttle) {
  const PreparedSet set(kNumSamples, 1);
  set.DrainWorkers();
  const DistantWorker worker(set.stack(), throttle);
  const auto source = set.Consume(set.Job(kBatchSize, kEpochs), 0, 0,
                                  {.link = {.transport = preprocess::Transport::kFrames,
                                            .compression = preprocess::CompressionChoice::kNone},
                                   .patience = std::chrono::minutes{5}});
  PathVerdict verdict = VerdictOf(*source);
  EXPECT_EQ(source->counters().num_made_here, 0) << set.stack().Logs();
  return verdict;
}

TEST(VerdictOfANetwork, IsNamedWhenItIsNarrow) {
  const PathVerdict verdict =
      VerdictThrough({.portion_bytes = 2 << 10, .pause = std::chrono::milliseconds{10}});
  EXPECT_EQ(verdict.limit, PathLimit::kNetwork) << verdict.ToText();
}

TEST(VerdictOfANetwork, IsNamedWhenItStallsNowAndThen) {
  const PathVerdict verdict =
      VerdictThrough({.portion_bytes = 16 << 10, .pause = std::chrono::milliseconds{150}});
  EXPECT_EQ(verdict.limit, PathLimit::kNetwork) << verdict.ToText();
}

}  // namespace
}  // namespace tidemill::tests
