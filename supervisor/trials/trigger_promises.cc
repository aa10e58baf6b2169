#include "supervisor/trials/trigger_promises.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/trials/trial_stream.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor::trials {
namespace {

// What the n-th training takes.
TrainingCost CostOf(const Decision& decision) {
  return {.num_samples = decision.num_new,
          .seconds = 0.002 + 1e-6 * static_cast<double>(decision.num_new)};
}

class Trial {
 public:
  Trial(const TriggerSpec& spec, int64_t num_samples, Duration step)
      : spec_(spec), stream_(ManySamples(num_samples, step.micros)), evidence_(stream_) {}

  absl::StatusOr<TriggerTrial> Run() {
    ASSIGN_OR_RETURN(whole_, Decide(1000, /*restarts=*/false));
    TriggerTrial trial{.num_samples = static_cast<int64_t>(stream_.keys.size()),
                       .num_decisions = static_cast<int64_t>(whole_.size()),
                       .num_fired = std::ranges::count_if(whole_, &Decision::fired),
                       .milliseconds_per_decision = MedianMilliseconds()};
    trial.promises.push_back(NoFault());
    trial.promises.push_back(Answers(trial));
    ASSIGN_OR_RETURN(trial.promises.emplace_back(),
                     Same("decides the same when it is asked again", 1000, false));
    for (const size_t chunk : {1, 7}) {
      ASSIGN_OR_RETURN(trial.promises.emplace_back(),
                       Same(fmt::format("decides the same in batches of {}", chunk), chunk, false));
    }
    ASSIGN_OR_RETURN(trial.promises.emplace_back(),
                     Same("decides the same in a new process at each decision, from what it sealed",
                          1000, true));
    trial.promises.push_back(JudgesItsRecords());
    return trial;
  }

 private:
  // `restarts`: after each decision another decider continues from what the last one sealed.
  absl::StatusOr<std::vector<Decision>> Decide(size_t chunk, bool restarts) {
    std::vector<Decision> decisions;
    ASSIGN_OR_RETURN(Decider decider, Decider::Create(spec_, "", &evidence_));
    for (Samples rest = stream_.View(); !rest.empty();) {
      const size_t size = std::min(chunk, rest.size());
      Samples ahead = rest.First(size);
      rest = rest.From(size);
      while (true) {
        ASSIGN_OR_RETURN(auto decision, decider.Next(ahead));
        if (!decision) break;
        if (restarts) {
          ASSIGN_OR_RETURN(decider, Decider::Create(spec_, decider.Seal(), &evidence_));
        }
        if (decision->fired) decider.Learn(CostOf(*decision));
        decisions.push_back(*std::move(decision));
      }
    }
    return decisions;
  }

  absl::StatusOr<Promise> Same(std::string text, size_t chunk, bool restarts) {
    ASSIGN_OR_RETURN(const std::vector<Decision> decided, Decide(chunk, restarts));
    Promise promise{.text = std::move(text), .is_kept = decided == whole_};
    if (promise.is_kept) return promise;
    const auto [mine, theirs] = std::ranges::mismatch(decided, whole_);
    promise.detail =
        fmt::format("from decision {} on it decides otherwise", theirs - whole_.begin() + 1);
    return promise;
  }

  Promise NoFault() const {
    Promise promise{.text = "makes each of its decisions"};
    for (const Decision& decision : whole_) {
      if (!decision.verdict.has_fault()) continue;
      promise.is_kept = false;
      promise.detail = decision.verdict.fault().what();
      break;
    }
    return promise;
  }

  static Promise Answers(const TriggerTrial& trial) {
    return {
        .text = "decides",
        .is_kept = trial.num_decisions > 0,
        .detail = fmt::format("{} of {} decisions fired", trial.num_fired, trial.num_decisions)};
  }

  Promise JudgesItsRecords() const {
    Promise promise{.text = "judges its records as it judged at first"};
    for (size_t i = 0; i < whole_.size(); i += 1 + whole_.size() / 20) {
      if (AreEqual(spec_->Replay(whole_[i].verdict), whole_[i].verdict)) continue;
      promise.is_kept = false;
      promise.detail = fmt::format("it judges decision {} otherwise", i + 1);
      break;
    }
    return promise;
  }

  double MedianMilliseconds() const {
    std::vector<double> seconds;
    for (const Decision& decision : whole_) seconds.push_back(decision.seconds);
    if (seconds.empty()) return 0;
    const auto middle = seconds.begin() + std::ssize(seconds) / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle * 1e3;
  }

  const TriggerSpec& spec_;
  const Stream stream_;
  DriftingEvidence evidence_;
  std::vector<Decision> whole_;
};

}  // namespace

bool TriggerTrial::KeepsAll() const { return std::ranges::all_of(promises, &Promise::is_kept); }

absl::StatusOr<TriggerTrial> TryTrigger(const TriggerSpec& spec, int64_t num_samples,
                                        Duration step) {
  return Trial(spec, num_samples, step).Run();
}

}  // namespace tidemill::supervisor::trials
