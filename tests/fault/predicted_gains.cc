// Whether predicted gains come true: looks at a training on a path whose parts were slowed down,
// predicts what doubling one part would gain, doubles it, and looks again. Prints each prediction
// beside what was measured. Exits with 1 when one of them is wrong by more than 15 %.
// Usage: predicted_gains [PART OF A NAME]
#include "loader/path/predicted_gains.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/batches/batch_stream.h"
#include "loader/path/path_verdict.h"
#include "loader/testing/small_set.h"
#include "tests/own_worker.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using loader::PathPart;
using std::chrono::milliseconds;
using ::tidemill::testing::IsOk;
using Clock = std::chrono::steady_clock;

constexpr double kMostWrong = 0.15;
constexpr int64_t kNumSamples = 20'000;
constexpr int64_t kBatchSize = 64;
// More epochs than anybody looks at.
constexpr int64_t kEpochs = 1000;
// Until buffers are as full as they stay, and then the time of a look.
constexpr std::chrono::seconds kWarmUp{1};
constexpr std::chrono::seconds kLook{5};
// Batches that come a hundred times as often are made in pieces of the same size by 4 threads as
// by 1.
constexpr int64_t kBytesOfFast = int64_t{4} << 20;

// A path of which each part takes a given time.
struct Path {
  // In this process, for each piece of some twenty samples.
  milliseconds first_op{0};
  milliseconds second_op{0};
  milliseconds storage{0};
  milliseconds step{0};
  int threads = 2;
  // Images of this many pixels a side are computed; 0 for none.
  int pixels = 0;
  // Few batches wait ready, so that a look is not at those that were made before it.
  int64_t bytes_ahead = int64_t{1} << 16;
};

struct Look {
  double batches_per_second = 0;
  double wait_share = 0;
  loader::PathWork work;
};

std::string GraphOf(const Path& path) {
  std::string graph = fmt::format("- delay: {{milliseconds: {}}}\n- delay: {{milliseconds: {}}}\n",
                                  path.first_op.count(), path.second_op.count());
  if (path.pixels == 0) return graph + loader::testing::kPlainGraph;
  return graph + fmt::format(
                     "- parse_csv: {{columns: [a]}}\n"
                     "- reshape: {{column: a, shape: [1, 1]}}\n"
                     "- resize: {{column: a, height: {0}, width: {0}}}\n"
                     "- crop: {{column: a, height: 1, width: 1}}\n"
                     "- reshape: {{column: a, shape: [1], into: input}}\n"
                     "- label: {{into: target}}\n",
                     path.pixels);
}

std::unique_ptr<loader::BatchSource> Open(const Path& path) {
  const auto read = [delay = path.storage](std::span<const int64_t> keys,
                                           const loader::SampleSink& sink) {
    std::this_thread::sleep_for(delay);
    return loader::testing::ReadSamples(keys, sink);
  };
  loader::BatchParts parts{.set = loader::testing::Shared(loader::testing::MakeSet(kNumSamples)),
                           .reader = read,
                           .graph = loader::testing::MakeGraph(GraphOf(path).c_str())};
  auto stream =
      loader::BatchStream::Create(std::move(parts), loader::testing::Plan(kBatchSize, kEpochs),
                                  {.num_threads = path.threads, .bytes_ahead = path.bytes_ahead});
  EXPECT_THAT(stream, IsOk());
  return *std::move(stream);
}

Look LookAt(loader::BatchSource& source, milliseconds step) {
  Look look;
  const auto begin = Clock::now();
  auto counted = begin;
  Clock::duration waited{0};
  int64_t batches = 0;
  while (Clock::now() < begin + kWarmUp + kLook) {
    const auto asked = Clock::now();
    if (asked < begin + kWarmUp) {
      counted = asked;
      waited = {};
      batches = 0;
    }
    const auto next = source.Next();
    waited += Clock::now() - asked;
    EXPECT_THAT(next, IsOk());
    if (!next.ok() || !next->has_value()) break;
    ++batches;
    std::this_thread::sleep_for(step);
  }
  const std::chrono::duration<double> taken = Clock::now() - counted;
  look.batches_per_second = static_cast<double>(batches) / taken.count();
  look.wait_share = std::chrono::duration<double>(waited) / taken;
  look.work = source.work();
  return look;
}

double Predicted(const Look& look, PathPart part, int op) {
  for (const loader::PredictedGain& gain : loader::PredictGains(look.wait_share, look.work)) {
    if (gain.part == part && gain.op == op) return gain.factor;
  }
  return 0;
}

// Prints a line. Returns whether the prediction came true.
bool Compare(const std::string& name, const Look& before, PathPart part, int op,
             const Look& after) {
  const double predicted = Predicted(before, part, op);
  const double measured = after.batches_per_second / before.batches_per_second;
  const bool is_right = std::abs(predicted / measured - 1) <= kMostWrong;
  fmt::print("{:<52} predicted {:.2f}x, measured {:.2f}x ({:+.0f} %){}\n", name, predicted,
             measured, 100 * (predicted / measured - 1), is_right ? "" : "  WRONG");
  fmt::print("  {:.0f} batches/s; {}\n", before.batches_per_second,
             loader::Judge(before.wait_share, before.work).ToText());
  return is_right;
}

struct Case {
  std::string name;
  Path before;
  PathPart part;
  int op = -1;
  Path after;
};

std::vector<Case> CasesHere() {
  using ms = milliseconds;
  return {
      {"an op twice as fast",
       {.first_op = ms(10), .second_op = ms(4)},
       PathPart::kOp,
       0,
       {.first_op = ms(5), .second_op = ms(4)}},
      {"the lesser op twice as fast",
       {.first_op = ms(8), .second_op = ms(6)},
       PathPart::kOp,
       1,
       {.first_op = ms(8), .second_op = ms(3)}},
      {"storage twice as fast",
       {.first_op = ms(2), .storage = ms(60)},
       PathPart::kStorage,
       -1,
       {.first_op = ms(2), .storage = ms(30)}},
      {"twice the threads",
       {.first_op = ms(8), .threads = 1},
       PathPart::kThreads,
       -1,
       {.first_op = ms(8), .threads = 2}},
      {"twice the threads, until the step is the limit",
       {.first_op = ms(8), .step = ms(10), .threads = 2},
       PathPart::kThreads,
       -1,
       {.first_op = ms(8), .step = ms(10), .threads = 4}},
      {"twice the threads, that compute",
       {.threads = 1, .pixels = 64, .bytes_ahead = kBytesOfFast},
       PathPart::kThreads,
       -1,
       {.threads = 2, .pixels = 64, .bytes_ahead = kBytesOfFast}},
      {"twice the threads, without processors for them",
       {.threads = 2, .pixels = 64, .bytes_ahead = kBytesOfFast},
       PathPart::kThreads,
       -1,
       {.threads = 4, .pixels = 64, .bytes_ahead = kBytesOfFast}},
      {"a step twice as fast", {.step = ms(20)}, PathPart::kStep, -1, {.step = ms(10)}},
      {"a step twice as fast, until the threads are the limit",
       {.first_op = ms(8), .step = ms(20), .threads = 2},
       PathPart::kStep,
       -1,
       {.first_op = ms(8), .step = ms(10), .threads = 2}},
  };
}

// An op that waits at workers: one, then two.
bool CompareWorkers() {
  PreparedSet set(kNumSamples, 1);
  const auto job = set.Job(kBatchSize, kEpochs, "- delay: {milliseconds: 100}\n");
  const auto look = [&] {
    const auto source = set.Consume(job, 0, 0, {.bytes_ahead = int64_t{1} << 20});
    return LookAt(*source, {});
  };
  const Look one = look();
  set.StartWorker("second");
  set.AwaitRegistration("second");
  return Compare("twice the workers", one, PathPart::kWorkers, -1, look());
}

Look LookThrough(const Throttle& throttle) {
  const PreparedSet set(kNumSamples, 1);
  set.DrainWorkers();
  const DistantWorker worker(set.stack(), throttle);
  const auto source = set.Consume(set.Job(kBatchSize, kEpochs), 0, 0,
                                  {.link = {.transport = preprocess::Transport::kFrames,
                                            .compression = preprocess::CompressionChoice::kNone},
                                   .patience = std::chrono::minutes{5}});
  return LookAt(*source, {});
}

bool CompareNetworks() {
  const Look narrow = LookThrough({.portion_bytes = 2 << 10, .pause = milliseconds{10}});
  const Look wide = LookThrough({.portion_bytes = 4 << 10, .pause = milliseconds{10}});
  return Compare("a network twice as fast", narrow, PathPart::kLinks, -1, wide);
}

int Main(std::string_view part_of_name) {
  int num_wrong = 0;
  for (const Case& item : CasesHere()) {
    if (item.name.find(part_of_name) == std::string::npos) continue;
    const Look before = LookAt(*Open(item.before), item.before.step);
    const Look after = LookAt(*Open(item.after), item.after.step);
    num_wrong += Compare(item.name, before, item.part, item.op, after) ? 0 : 1;
  }
  if (part_of_name.empty()) {
    num_wrong += CompareWorkers() ? 0 : 1;
    num_wrong += CompareNetworks() ? 0 : 1;
  }
  fmt::print("{} predictions were wrong by more than {:.0f} %\n", num_wrong, 100 * kMostWrong);
  return num_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::tests

int main(int argc, char** argv) { return tidemill::tests::Main(argc > 1 ? argv[1] : ""); }
