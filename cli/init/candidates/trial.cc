#include "cli/init/candidates/trial.h"

#include <algorithm>
#include <memory>

#include "fmt/format.h"

#include "base/files.h"
#include "cli/init/candidates/candidate_runs.h"
#include "cli/init/candidates/choice.h"
#include "cli/init/candidates/first_rows.h"
#include "cli/results/result_tables.h"
#include "cli/stack/private_stack.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr int64_t kSteps = 800;
// The end of the stack is within the budget, too.
constexpr std::chrono::milliseconds kToEnd{1'000};

// The draft on the rows that were copied.
PipelineDraft OnRows(const PipelineDraft& draft, const FirstRows& rows) {
  PipelineDraft on = draft;
  for (Guess& guess : on.dataset) {
    if (guess.key == "path") guess.value = "rows";
  }
  on.training.num_samples = rows.num_rows;
  on.training.num_steps = kSteps;
  on.training.is_trial = true;
  return on;
}

// Takes the value of the models in use by the first measure.
void Take(const v1::GetRunResponse& run, TriedCandidate& candidate, Trial& trial) {
  const std::vector<ResultTable> tables = ResultTables(run);
  const auto mean = tables.empty() ? std::nullopt : ActiveMean(tables.front());
  if (!mean) {
    candidate.problem = "no window could be measured";
    return;
  }
  const ResultTable& table = tables.front();
  candidate.problem.clear();
  candidate.value = mean->value;
  candidate.interval = table.active_interval;
  trial.measure = table.measure;
  trial.lower_is_better = table.lower_is_better;
  trial.num_samples = mean->num_samples;
  if (!trial.rules.empty()) return;
  for (const Baseline& baseline : table.baselines) {
    const auto value = baseline.reached.Mean();
    if (baseline.name != "first" && value) trial.rules.push_back({baseline.rule, *value});
  }
}

void CompareWithBest(const CandidateRuns& runs, Trial& trial) {
  const std::optional<size_t> best = BestOf(trial);
  for (size_t place = 0; best && place < trial.candidates.size(); ++place) {
    TriedCandidate& candidate = trial.candidates[place];
    if (place != *best && candidate.value) candidate.behind = runs.DifferenceOf(*best, place);
  }
}

}  // namespace

absl::StatusOr<Trial> TryCandidates(const PipelineDraft& draft, std::chrono::milliseconds budget,
                                    const SayStep& say) {
  const Clock::time_point begin = Clock::now();
  ASSIGN_OR_RETURN(const std::unique_ptr<PrivateStack> stack, PrivateStack::Start());
  ASSIGN_OR_RETURN(const FirstRows rows,
                   CopyFirstRows(draft, files::Join(stack->folder(), "rows")));
  const PipelineDraft on_rows = OnRows(draft, rows);
  Trial trial{.rows = rows.description};
  for (Candidate& candidate : CandidatesFor(draft)) {
    trial.candidates.push_back({.candidate = std::move(candidate)});
  }
  say(fmt::format("trying {} pipelines on {}", trial.candidates.size(), rows.description));
  CandidateRuns runs(*stack, on_rows);
  runs.Run(trial.candidates, begin + std::max(budget - kToEnd, kToEnd));
  for (size_t place = 0; place < trial.candidates.size(); ++place) {
    TriedCandidate& candidate = trial.candidates[place];
    if (const auto run = runs.ResultOf(place)) {
      Take(*run, candidate, trial);
    } else if (std::string problem = runs.ProblemOf(place); !problem.empty()) {
      candidate.problem = std::move(problem);
    }
  }
  CompareWithBest(runs, trial);
  trial.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return trial;
}

}  // namespace tidemill::cli
