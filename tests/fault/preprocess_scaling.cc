// How the rate of batches grows with workers, where an op takes 20 ms a batch without a processor:
// prints rates for 1, 2 and 4 workers, for one worker and a consumer that helps, and for a consumer
// that takes its time; and the gain of more threads where one sample of a hundred is slow. Exits
// with 1 when four workers are not at least 3.5 times as fast as one, when a consumer with as many
// threads as the worker does not make it at least 1.6 times as fast, when workers beyond what the
// consumer needs change its rate by more than 5 %, or when sixteen times the threads are not at
// least 4 times as fast where samples are slow.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fmt/format.h"

#include "base/digest.h"
#include "tests/own_worker.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastSpeedup = 3.5;
constexpr double kLeastOfHelp = 1.6;
constexpr double kMaxChange = 0.05;
// Batches that are not counted, and batches that are.
constexpr int kWarmUp = 80;
constexpr int kCounted = 480;
// A job with slow samples, and how many of its batches are counted.
constexpr int64_t kSlowBatchSize = 64;
constexpr int64_t kSlowEpochs = 8;
constexpr int kCountedOfFew = 600;
constexpr int kCountedOfMany = 2200;
constexpr double kLeastGain = 4;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Works until so much time has passed since the batch before: a training step.
void WorkUntil(Clock::time_point end) {
  std::string text = "step";
  while (Clock::now() < end) text = Sha256(text);
}

// Batches a second from a number of workers, to a consumer whose rate is limited, and which helps
// with some threads.
std::optional<double> Rate(int num_workers, std::optional<double> most, int threads_here = 0) {
  const PreparedSet set(20'000, num_workers);
  // Batches of a size of which one is run through the graph at a time.
  const auto job = set.Job(1'100, 40, "- delay: {milliseconds: 20, share: 1, per: batch}\n");
  const auto source =
      set.Consume(job, 0, 0, {.bytes_ahead = int64_t{4} << 20, .threads_here = threads_here});
  Clock::time_point begin = Clock::now();
  Clock::time_point step = begin;
  for (int batch = 0; batch < kWarmUp + kCounted; ++batch) {
    if (batch == kWarmUp) begin = step = Clock::now();
    const auto next = source->Next();
    if (!next.ok() || !*next) return std::nullopt;
    if (!most) continue;
    step += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / *most));
    WorkUntil(step);
  }
  return kCounted / SecondsSince(begin);
}

// Samples a second from two workers with this number of threads each, where one sample of a hundred
// takes 200 ms: from the first request until `counted` batches have come.
std::optional<double> SlowRate(int num_threads, int counted) {
  const PreparedSet set(20'000, 1);
  set.DrainWorkers();
  const auto start = [&](const std::string& name) {
    return std::make_unique<OwnWorker>(set.stack(), name,
                                       "unix:" + set.stack().files() + "/" + name,
                                       fmt::format("  threads: {}\n", num_threads));
  };
  const std::unique_ptr<OwnWorker> workers[] = {start("left"), start("right")};
  for (const char* const name : {"left", "right"}) set.AwaitRegistration(name);
  const auto job = set.Job(kSlowBatchSize, kSlowEpochs,
                           "- delay: {milliseconds: 200, share: 0.01, per: sample}\n");
  const Clock::time_point begin = Clock::now();
  const auto source = set.Consume(job);
  int64_t rows = 0;
  for (int batch = 0; batch < counted; ++batch) {
    const auto next = source->Next();
    if (!next.ok() || !*next) return std::nullopt;
    rows += (*next)->rows.num_rows();
  }
  return static_cast<double>(rows) / SecondsSince(begin);
}

// Prints what threads are worth that wait; false when it is too little.
bool ThreadsHideSlowSamples() {
  const auto few = SlowRate(2, kCountedOfFew);
  const auto many = SlowRate(32, kCountedOfMany);
  if (!few || !many) {
    fmt::print(stderr, "a job with slow samples did not come to its end\n");
    return false;
  }
  fmt::print(
      "samples a second where 1 % take 200 ms: 2 workers of 2 threads {:.0f}, of 32 threads {:.0f} "
      "({:.1f} times)\n",
      *few, *many, *many / *few);
  return *many >= kLeastGain * *few;
}

int Main() {
  const auto one = Rate(1, std::nullopt);
  const auto two = Rate(2, std::nullopt);
  const auto four = Rate(4, std::nullopt);
  const auto helped = Rate(1, std::nullopt, 2);
  const auto enough = Rate(2, 50);
  const auto more = Rate(4, 50);
  if (!one || !two || !four || !helped || !enough || !more) {
    fmt::print(stderr, "a job did not come to its end\n");
    return 1;
  }
  const double speedup = *four / *one;
  const double change = std::abs(*more / *enough - 1);
  fmt::print(
      "batches a second: 1 worker {:.0f}, 2 workers {:.0f}, 4 workers {:.0f} ({:.2f} times)\n",
      *one, *two, *four, speedup);
  fmt::print("of a consumer of 50 a second: 2 workers {:.1f}, 4 workers {:.1f} ({:.1f} % apart)\n",
             *enough, *more, 100 * change);
  fmt::print("1 worker and a consumer that helps with 2 threads: {:.0f} ({:.2f} times)\n", *helped,
             *helped / *one);
  const bool helps = *helped >= kLeastOfHelp * *one;
  const bool has_gain = ThreadsHideSlowSamples();
  return speedup >= kLeastSpeedup && helps && change <= kMaxChange && has_gain ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::tests

int main() { return tidemill::tests::Main(); }
