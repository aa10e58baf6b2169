// How the number of workers follows a demand that goes 1x, 4x, 2x, with real workers that an engine
// starts and ends: an op takes 20 ms a batch without a processor, and a consumer takes 40, 160 and
// 80 batches a second. Prints, for each part, the wanted number after a minute beside the fewest
// that suffice, how often it changed afterwards, and the consumer's rate; and the seconds of
// workers beside those of the best fixed number. Exits with 1 when a wanted number is more than 10
// % off, changes later, when a part is more than 5 % slower than its consumer could be, or when
// fewer than 30 % of the seconds are saved.
//
//   demand_following [SECONDS]      of all three parts; 600 by default
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"

#include "base/testing/temp_folder.h"
#include "base/testing/tree.h"
#include "base/threads/periodic_task.h"
#include "preprocess/client/scaling_client.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Batches a second of a worker with one thread.
constexpr double kRateOfWorker = 50;
constexpr double kSettled = 60;
constexpr double kRates[] = {40, 160, 80};

double SecondsSince(Clock::time_point begin) { return Seconds(Clock::now() - begin).count(); }

// The wanted number, and the workers that run.
struct Sight {
  double at = 0;
  int64_t wanted = 0;
  int64_t running = 0;
};

// Looks twice a second until Stop().
class Watch {
 public:
  explicit Watch(const PreparedSet& set) : scaling_(set.stack().PeerOf("preprocess")) {
    looks_ = std::make_unique<PeriodicTask>("looks", std::chrono::milliseconds(500), [this] {
      ASSIGN_OR_RETURN(const auto now, scaling_.Get(1));
      sights_.push_back({SecondsSince(begin_), now.wanted(), now.engine().processes_size()});
      return absl::OkStatus();
    });
  }
  std::vector<Sight> Stop() {
    looks_.reset();
    return sights_;
  }

 private:
  const Clock::time_point begin_ = Clock::now();
  preprocess::ScalingClient scaling_;
  std::vector<Sight> sights_;
  std::unique_ptr<PeriodicTask> looks_;
};

// Takes batches at a rate for some seconds. Returns the rate that was reached; 0 when the job
// ended.
double Take(loader::BatchSource& source, double rate, double seconds) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point step = begin;
  int64_t taken = 0;
  for (; SecondsSince(begin) < seconds; ++taken) {
    const auto next = source.Next();
    if (!next.ok() || !*next) return 0;
    // A step takes its time, however long the batch has taken.
    step = std::max(step, Clock::now() - std::chrono::milliseconds(100)) +
           std::chrono::duration_cast<Clock::duration>(Seconds(1 / rate));
    std::this_thread::sleep_until(step);
  }
  return static_cast<double>(taken) / SecondsSince(begin);
}

bool Judge(const std::vector<Sight>& looks, double from, double to, double demand, double rate) {
  const auto best = static_cast<int64_t>(std::ceil(demand / kRateOfWorker));
  int64_t wanted = 0;
  int changes = 0;
  for (const Sight& look : looks) {
    if (look.at < from + kSettled || look.at >= to) continue;
    changes += wanted != 0 && look.wanted != wanted ? 1 : 0;
    wanted = look.wanted;
  }
  const double slower = 1 - rate / demand;
  fmt::print(
      "{:.0f} batches/s: {} workers wanted, {} are best; {} changes after a minute; {:.1f} "
      "batches/s, {:.1f} % slower\n",
      demand, wanted, best, changes, rate, 100 * slower);
  const auto off = static_cast<double>(std::abs(wanted - best));
  return off <= 0.1 * static_cast<double>(best) && changes == 0 && slower <= 0.05;
}

int Main(double seconds) {
  const testing::TempFolder folder;
  const std::string program = testing::InTree("deploy/process_engine.py");
  const PreparedSet set(
      20'000, 1, {{"PROCESS_ENGINE_FOLDER", folder.path()}}, {},
      fmt::format("engine:\n  backend: {{type: command, program: {}}}\n"
                  "  workers: {{most: 8, processors: 1}}\npreprocess_worker: {{threads: 1}}\n",
                  program));
  const auto job = set.Job(1'100, 20'000, "- delay: {milliseconds: 20, share: 1, per: batch}\n");
  const auto source = set.Consume(job, 0, 0, {.bytes_ahead = int64_t{4} << 20});
  Watch watch(set);
  std::vector<double> reached;
  const double part = seconds / std::size(kRates);
  for (const double rate : kRates) reached.push_back(Take(*source, rate, part));
  const std::vector<Sight> looks = watch.Stop();
  bool good = true;
  double begin = 0;
  double worker_seconds = 0;
  for (size_t i = 1; i < looks.size(); ++i) {
    worker_seconds += static_cast<double>(looks[i].running) * (looks[i].at - looks[i - 1].at);
  }
  for (size_t i = 0; i < std::size(kRates); ++i, begin += part) {
    good &= Judge(looks, begin, begin + part, kRates[i], reached[i]);
  }
  const double fixed = std::ceil(kRates[1] / kRateOfWorker) * seconds;
  fmt::print("{:.0f} worker seconds, {:.0f} of the best fixed number: {:.0f} % fewer\n",
             worker_seconds, fixed, 100 * (1 - worker_seconds / fixed));
  return good && worker_seconds <= 0.7 * fixed ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::tests

int main(int argc, char** argv) {
  return tidemill::tests::Main(argc > 1 ? std::atof(argv[1]) : 600);
}
