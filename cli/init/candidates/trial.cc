#include "cli/init/candidates/trial.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

#include "fmt/format.h"

#include "base/files.h"
#include "cli/init/candidates/first_rows.h"
#include "cli/pipelines/submission.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_report.h"
#include "cli/stack/private_stack.h"
#include "supervisor/client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{50};
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

// Runs of candidates on one stack.
class CandidateRuns {
 public:
  CandidateRuns(const PrivateStack& stack, const PipelineDraft& draft, Clock::time_point end)
      : stack_(stack), draft_(draft), end_(end) {}

  // Starts each as soon as there is a processor for it, until the end of the budget.
  void Run(std::vector<TriedCandidate>& candidates) {
    ids_.resize(candidates.size());
    std::vector<size_t> turns(candidates.size());
    std::iota(turns.begin(), turns.end(), size_t{0});
    std::ranges::stable_sort(turns, {},
                             [&](size_t place) { return candidates[place].candidate.turn; });
    size_t next = 0;
    while (Clock::now() < end_) {
      while (next < candidates.size() && NumRunning() < MostAtOnce()) {
        Start(turns[next], candidates[turns[next]]);
        ++next;
      }
      if (next == candidates.size() && NumRunning() == 0) return;
      std::this_thread::sleep_for(kPoll);
    }
    for (TriedCandidate& candidate : candidates) {
      if (candidate.problem.empty()) candidate.problem = "it was not done within the budget";
    }
  }

  // Returns the results of a run; std::nullopt when it has none.
  std::optional<v1::GetRunResponse> ResultOf(size_t candidate) const {
    if (!ids_[candidate]) return std::nullopt;
    const auto run = FetchRun(stack_.session(), *ids_[candidate]);
    if (!run.ok() || run->run().state() != v1::RUN_STATE_SUCCEEDED) return std::nullopt;
    return *run;
  }

  // Returns why a run has failed; empty when it has not.
  std::string ProblemOf(size_t candidate) const {
    if (!ids_[candidate]) return "";
    const auto run = FetchRun(stack_.session(), *ids_[candidate]);
    if (!run.ok()) return std::string(run.status().message());
    return run->run().error();
  }

 private:
  static int64_t MostAtOnce() {
    return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 8);
  }

  void Start(size_t place, TriedCandidate& candidate) {
    auto id = Submit(place, candidate.candidate);
    if (id.ok()) {
      ids_[place] = *id;
    } else {
      candidate.problem = std::string(id.status().message());
    }
  }

  absl::StatusOr<int64_t> Submit(size_t place, const Candidate& candidate) const {
    const std::string path =
        files::Join(stack_.folder(), fmt::format("candidate_{}.yaml", place + 1));
    RETURN_IF_ERROR(files::WriteAtomically(path, PipelineText(WithCandidate(draft_, candidate))));
    ASSIGN_OR_RETURN(PipelineFile file, ReadPipelineFile(path));
    // All have the same dataset, which has the draft's name.
    file.overrides.push_back({"name", fmt::format("candidate_{}", place + 1)});
    supervisor::DiskFiles files = FilesOf(file);
    const auto checked = CheckPipelineFile(file, files);
    RETURN_IF_ERROR(checked.problems.ToStatus());
    ASSIGN_OR_RETURN(const auto submitted,
                     SubmitPipeline(stack_.session(), file, files, /*max_triggers=*/0,
                                    storage::v1::ON_OTHER_SPEC_UNSPECIFIED));
    return submitted.run_id();
  }

  int64_t NumRunning() const {
    v1::ListRunsRequest running;
    running.add_states(v1::RUN_STATE_RUNNING);
    const auto listed = stack_.session().Ask(&supervisor::SupervisorClient::FindRuns, running);
    return listed.ok() ? listed->runs_size() : MostAtOnce();
  }

  const PrivateStack& stack_;
  const PipelineDraft& draft_;
  const Clock::time_point end_;
  std::vector<std::optional<int64_t>> ids_;
};

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
  CandidateRuns runs(*stack, on_rows, begin + std::max(budget - kToEnd, kToEnd));
  runs.Run(trial.candidates);
  for (size_t place = 0; place < trial.candidates.size(); ++place) {
    TriedCandidate& candidate = trial.candidates[place];
    if (const auto run = runs.ResultOf(place)) {
      Take(*run, candidate, trial);
    } else if (std::string problem = runs.ProblemOf(place); !problem.empty()) {
      candidate.problem = std::move(problem);
    }
  }
  trial.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return trial;
}

}  // namespace tidemill::cli
