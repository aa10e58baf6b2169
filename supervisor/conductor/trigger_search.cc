#include "supervisor/conductor/trigger_search.h"

#include <utility>

#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

// The number of decisions written to the database at a time; fewer where making them takes long:
// those that are not there yet are made again after a crash.
constexpr size_t kDecisionsAtATime = 1000;
constexpr std::chrono::seconds kLongestUnrecorded{5};
// Watchers see progress no more often.
constexpr std::chrono::milliseconds kReportEvery{100};

}  // namespace

TriggerSearch::TriggerSearch(RunRecord& record, RunPolicy& policy, Decider decider,
                             Duration label_delay, const Cut& begin)
    : record_(record),
      policy_(policy),
      decider_(std::move(decider)),
      label_delay_(label_delay),
      end_(begin),
      recorded_(std::chrono::steady_clock::now()),
      reported_(recorded_ - kReportEvery) {}

absl::Status TriggerSearch::Take(const batch::Batch& chunk) {
  ASSIGN_OR_RETURN(const batch::Column* column,
                   chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
  const auto times = column->Values<int64_t>();
  if (times.empty()) return absl::OkStatus();
  end_ = {{times.back()}, {chunk.keys().back() + 1}};
  std::vector<int64_t> known(times.begin(), times.end());
  for (int64_t& time : known) time += label_delay_.micros;
  Samples ahead{known, chunk.keys()};
  while (true) {
    ASSIGN_OR_RETURN(auto decision, decider_.Next(ahead));
    if (!decision) break;
    RETURN_IF_ERROR(Keep(*std::move(decision)));
  }
  Report(times.back());
  return absl::OkStatus();
}

absl::Status TriggerSearch::Keep(Decision decision) {
  fired_ = decision.fired;
  decisions_.push_back(std::move(decision));
  if (fired_) return Cancelled("a trigger has fired");
  last_unfired_ = decisions_.back().verdict;
  const auto now = std::chrono::steady_clock::now();
  if (now - reported_ > kReportEvery) {
    reported_ = now;
    Report(decisions_.back().at.event_time.micros);
  }
  if (decisions_.size() < kDecisionsAtATime && now - recorded_ < kLongestUnrecorded) {
    return absl::OkStatus();
  }
  recorded_ = now;
  return policy_.Record(std::exchange(decisions_, {}), decider_.Seal());
}

void TriggerSearch::Report(int64_t event_time) {
  const v1::DatasetSynced& data = record_.TrainingData();
  const int64_t seen = NumBeforeLastTrigger(record_.state()) + decider_.num_new();
  v1::Progress progress = ProgressOf("decide", seen, data.num_samples(), "samples");
  progress.set_share(ReplayedShare(data, seen, event_time));
  record_.Report(std::move(progress));
}

TriggerSearch::Seen TriggerSearch::Finish() && {
  Seen seen{.decisions = std::move(decisions_),
            .state = decider_.Seal(),
            .num_new = decider_.num_new(),
            .standing = decider_.Standing(),
            .end = end_};
  if (last_unfired_ && !last_unfired_->passed_over()) {
    seen.standing +=
        "; the last evaluation before: " + record_.spec().trigger->Explain(*last_unfired_);
  }
  return seen;
}

}  // namespace tidemill::supervisor
