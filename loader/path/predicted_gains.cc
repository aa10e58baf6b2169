#include "loader/path/predicted_gains.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "fmt/format.h"

namespace tidemill::loader {
namespace {

// A path none of whose parts is used more was never full.
constexpr double kUsed = 0.5;
constexpr double kWorthTelling = 1.05;
constexpr size_t kMostShown = 3;
// More are not recommended at once: that far from what was measured, a prediction says little.
constexpr int64_t kMostTimesTheWorkers = 16;
constexpr std::string_view kTwiceTheWorkers = "twice the workers, on other machines";

// The share of the time for which each part is used.
struct Use {
  double step = 0;
  double threads = 0;
  double links = 0;
  double cores = 0;

  double Largest() const { return std::max({step, threads, links, cores}); }
};

// The path as shares of time. Time in which a thread is ready without a processor is use of the
// processors, not of the thread.
class PathModel {
 public:
  PathModel(double wait_share, const PathWork& work)
      : work_(work),
        use_{.step = std::clamp(1 - wait_share, 0.0, 1.0),
             .threads = Share(work.busy_ns - work.queue_ns, work.capacity_ns),
             .links = Share(work.link_busy_ns, work.link_ns),
             .cores = Share(work.processors_busy_ns, work.processors_ns)} {}

  double Largest() const { return use_.Largest(); }

  double FactorOf(PathPart part, int op = -1) const {
    const double after = UseAfter(part, op).Largest();
    return after > 0 ? std::clamp(use_.Largest() / after, 1.0, 2.0) : 1;
  }

  // The fewest workers, in multiples of those there are, after which the step is the limit.
  int64_t EnoughWorkers() const {
    int64_t times = 1;
    while (times < kMostTimesTheWorkers &&
           UseWithWorkers(static_cast<double>(times)).Largest() > use_.step)
      ++times;
    return times;
  }

  double FactorOfWorkers(double times) const {
    return use_.Largest() / UseWithWorkers(times).Largest();
  }

 private:
  Use UseAfter(PathPart part, int op) const {
    Use use = use_;
    switch (part) {
      case PathPart::kStep:
        use.step /= 2;
        // The share of time that this process spends on computing other than preparing: none in a
        // worker.
        use.cores *= 1 - OwnShare(work_.process_ns - work_.cpu_ns) / 2;
        break;
      case PathPart::kOp: {
        const transform::OpWork& half = work_.ops[op].work;
        use.threads -= Share(WithoutQueueing(half), work_.capacity_ns) / 2;
        use.cores *= 1 - OwnShare(half.cpu_ns) / 2;
        break;
      }
      case PathPart::kStorage:
        use.threads -= Share(work_.read_ns, work_.capacity_ns) / 2;
        break;
      case PathPart::kThreads:
        use.threads /= 2;
        break;
      case PathPart::kWorkers:
        return UseWithWorkers(2);
      case PathPart::kLinks:
        use.links /= 2;
        break;
      case PathPart::kCores:
        use.cores /= 2;
        break;
    }
    use.threads = std::max(use.threads, 0.0);
    return use;
  }

  // Further workers bring threads, links and processors.
  Use UseWithWorkers(double times) const {
    return {.step = use_.step,
            .threads = use_.threads / times,
            .links = use_.links / times,
            .cores = use_.cores / times};
  }

  // The share of this process's time on processors. Other processes keep their share of full
  // processors, so what this process saves makes it faster in this proportion.
  double OwnShare(int64_t nanos) const { return Share(nanos, work_.process_ns); }

  // Time that is spent neither on a processor nor waiting for one belongs to the op itself.
  int64_t WithoutQueueing(const transform::OpWork& op) const {
    const int64_t idle = std::max<int64_t>(work_.busy_ns - work_.cpu_ns - work_.queue_ns, 0);
    const double own = Share(idle, idle + work_.queue_ns);
    return op.cpu_ns + static_cast<int64_t>(static_cast<double>(op.wall_ns - op.cpu_ns) * own);
  }

  const PathWork& work_;
  const Use use_;
};

// "resize", or "resize (number 3 of the graph)" if there are several.
std::string NameOfOp(const PathWork& work, size_t op) {
  const auto is_alike = [&](const transform::OpStatistics& other) {
    return other.type == work.ops[op].type;
  };
  if (std::count_if(work.ops.begin(), work.ops.end(), is_alike) == 1) return work.ops[op].type;
  return fmt::format("{} (number {} of the graph)", work.ops[op].type, op + 1);
}

}  // namespace

std::vector<PredictedGain> PredictGains(double wait_share, const PathWork& work) {
  const PathModel model(wait_share, work);
  std::vector<PredictedGain> gains;
  if (work.capacity_ns == 0 || model.Largest() < kUsed) return gains;
  const auto add = [&](PathPart part, std::string change) {
    gains.push_back({.part = part, .change = std::move(change), .factor = model.FactorOf(part)});
  };
  add(PathPart::kStep, "a step twice as fast");
  add(PathPart::kStorage, "storage twice as fast");
  for (size_t op = 0; op < work.ops.size(); ++op) {
    const auto place = static_cast<int>(op);
    gains.push_back({.part = PathPart::kOp,
                     .op = place,
                     .change = fmt::format("op {} twice as fast", NameOfOp(work, op)),
                     .factor = model.FactorOf(PathPart::kOp, place)});
  }
  add(PathPart::kThreads, "twice the threads");
  if (work.link_ns > 0) {
    add(PathPart::kWorkers, std::string(kTwiceTheWorkers));
    add(PathPart::kLinks, "a network twice as fast");
  }
  if (work.processors_ns > 0) add(PathPart::kCores, "twice the cores");
  std::ranges::stable_sort(gains, std::greater(), &PredictedGain::factor);
  return gains;
}

std::optional<PredictedGain> PredictEnoughWorkers(double wait_share, const PathWork& work) {
  const PathModel model(wait_share, work);
  if (work.capacity_ns == 0 || work.link_ns == 0 || model.Largest() < kUsed) return std::nullopt;
  const int64_t times = model.EnoughWorkers();
  const double factor = model.FactorOfWorkers(static_cast<double>(times));
  if (factor < kWorthTelling) return std::nullopt;
  return PredictedGain{
      .part = PathPart::kWorkers,
      .change = times == 2 ? std::string(kTwiceTheWorkers)
                           : fmt::format("{} times the workers, on other machines", times),
      .factor = factor};
}

std::vector<PredictedGain> PredictGainsToShow(double wait_share, const PathWork& work) {
  std::vector<PredictedGain> gains = PredictGains(wait_share, work);
  const std::optional<PredictedGain> workers = PredictEnoughWorkers(wait_share, work);
  for (PredictedGain& gain : gains) {
    if (gain.part == PathPart::kWorkers && workers) gain = *workers;
  }
  std::erase_if(gains, [](const PredictedGain& gain) { return gain.factor < kWorthTelling; });
  std::ranges::stable_sort(gains, std::greater(), &PredictedGain::factor);
  if (gains.size() > kMostShown) gains.resize(kMostShown);
  return gains;
}

}  // namespace tidemill::loader
