// How the rate of batches grows with workers, where an op takes 20 ms a batch without a processor:
// prints rates for 1, 2 and 4 workers, and for a consumer that takes its time; and the gain when
// slow samples, one of a hundred, hold up no others. Exits with 1 when four workers are not at
// least 3.5 times as fast as one, when workers beyond what the consumer needs change its rate by
// more than 5 %, or when batches cut from rows as they come do not come twice as fast as those in
// order.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "fmt/format.h"

#include "base/digest.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastSpeedup = 3.5;
constexpr double kMaxChange = 0.05;
// Batches that are not counted, and batches that are.
constexpr int kWarmUp = 80;
constexpr int kCounted = 480;
// Batches with slow samples, which take long in order.
constexpr int kSlowWarmUp = 10;
constexpr int kSlowCounted = 150;
// Batches that come as their rows do: many more than wait ready anywhere.
constexpr int kLateCounted = 2000;
constexpr int64_t kSlowBytesAhead = int64_t{1} << 20;
constexpr double kLeastGain = 2;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Works until so much time has passed since the batch before: a training step.
void WorkUntil(Clock::time_point end) {
  std::string text = "step";
  while (Clock::now() < end) text = Sha256(text);
}

// Batches a second from a number of workers, to a consumer whose rate is limited.
std::optional<double> Rate(int num_workers, std::optional<double> most) {
  const PreparedSet set(20'000, num_workers);
  // Batches of a size of which one is run through the graph at a time.
  const auto job = set.Job(1'100, 40, "- delay: {milliseconds: 20, share: 1, per: batch}\n");
  const auto source = set.Consume(job, 0, 0, {.bytes_ahead = int64_t{4} << 20});
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

// Samples a second from two workers, where one of a hundred takes 200 ms; `slow_after` in
// microseconds, or in order when that is 0.
std::optional<double> SlowRate(int64_t slow_after) {
  const PreparedSet set(20'000, 2);
  auto job = set.Job(64, 40, "- delay: {milliseconds: 200, share: 0.01, per: sample}\n");
  job.slow_after = slow_after;
  const auto delivery =
      slow_after > 0 ? preprocess::Delivery::kRelaxed : preprocess::Delivery::kOrdered;
  const auto source =
      set.Consume(job, 0, 0, {.delivery = delivery, .bytes_ahead = kSlowBytesAhead});
  Clock::time_point begin = Clock::now();
  int64_t rows = 0;
  const int counted = slow_after > 0 ? kLateCounted : kSlowCounted;
  for (int batch = 0; batch < kSlowWarmUp + counted; ++batch) {
    if (batch == kSlowWarmUp) {
      begin = Clock::now();
      rows = 0;
    }
    const auto next = source->Next();
    if (!next.ok() || !*next) return std::nullopt;
    rows += (*next)->rows.num_rows();
  }
  return static_cast<double>(rows) / SecondsSince(begin);
}

// Prints what late rows are worth; false when it is too little.
bool SlowSamplesHoldUpNobody() {
  const auto ordered = SlowRate(0);
  const auto late = SlowRate(5'000);
  if (!ordered || !late) {
    fmt::print(stderr, "a job with slow samples did not come to its end\n");
    return false;
  }
  fmt::print(
      "samples a second where 1 % take 200 ms: in order {:.0f}, as they come {:.0f} ({:.1f} "
      "times)\n",
      *ordered, *late, *late / *ordered);
  return *late >= kLeastGain * *ordered;
}

int Main() {
  const auto one = Rate(1, std::nullopt);
  const auto two = Rate(2, std::nullopt);
  const auto four = Rate(4, std::nullopt);
  const auto enough = Rate(2, 50);
  const auto more = Rate(4, 50);
  if (!one || !two || !four || !enough || !more) {
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
  const bool has_gain = SlowSamplesHoldUpNobody();
  return speedup >= kLeastSpeedup && change <= kMaxChange && has_gain ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::tests

int main() { return tidemill::tests::Main(); }
