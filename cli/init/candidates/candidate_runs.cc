#include "cli/init/candidates/candidate_runs.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "cli/pipelines/submission.h"
#include "cli/results/run_report.h"
#include "evaluator/client/evaluator_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

constexpr std::chrono::milliseconds kPoll{50};

int64_t MostAtOnce() { return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 8); }

// The places of the candidates in the order of their turns.
std::vector<size_t> TurnsOf(const std::vector<TriedCandidate>& candidates) {
  std::vector<size_t> turns(candidates.size());
  std::iota(turns.begin(), turns.end(), size_t{0});
  std::ranges::stable_sort(turns, {},
                           [&](size_t place) { return candidates[place].candidate.turn; });
  return turns;
}

}  // namespace

void CandidateRuns::Run(std::vector<TriedCandidate>& candidates, Clock::time_point end) {
  ids_.resize(candidates.size());
  const std::vector<size_t> turns = TurnsOf(candidates);
  size_t next = 0;
  while (Clock::now() < end) {
    while (next < candidates.size() && NumRunning() < MostAtOnce()) {
      Start(turns[next], candidates[turns[next]]);
      ++next;
    }
    if (next == candidates.size() && NumRunning() == 0) return;
    std::this_thread::sleep_for(kPoll);
  }
  for (TriedCandidate& candidate : candidates) {
    if (!candidate.problem.empty()) continue;
    candidate.problem = "it was not done within the budget";
    candidate.is_unfinished = true;
  }
}

std::optional<v1::GetRunResponse> CandidateRuns::ResultOf(size_t candidate) const {
  if (!ids_[candidate]) return std::nullopt;
  const auto run = FetchRun(stack_.session(), *ids_[candidate]);
  if (!run.ok() || run->run().state() != v1::RUN_STATE_SUCCEEDED) return std::nullopt;
  return *run;
}

std::string CandidateRuns::ProblemOf(size_t candidate) const {
  if (!ids_[candidate]) return "";
  const auto run = FetchRun(stack_.session(), *ids_[candidate]);
  if (!run.ok()) return std::string(run.status().message());
  return run->run().error();
}

std::optional<std::pair<double, double>> CandidateRuns::DifferenceOf(size_t one,
                                                                     size_t other) const {
  evaluator::v1::CompareRunsRequest request;
  request.set_run_id(ids_[one].value_or(0));
  request.set_other_run_id(ids_[other].value_or(0));
  request.set_num_evaluations(1);
  request.set_num_other_evaluations(1);
  const auto compared = stack_.session().Ask(&evaluator::EvaluatorClient::CompareRuns, request);
  if (!compared.ok() || compared->differences().empty()) return std::nullopt;
  const evaluator::v1::OutcomeDifference& first = compared->differences(0);
  if (!first.has_low() || !first.has_high()) return std::nullopt;
  return std::pair(first.low(), first.high());
}

void CandidateRuns::Start(size_t place, TriedCandidate& candidate) {
  auto id = Submit(place, candidate.candidate);
  if (id.ok()) {
    ids_[place] = *id;
  } else {
    candidate.problem = std::string(id.status().message());
  }
}

absl::StatusOr<int64_t> CandidateRuns::Submit(size_t place, const Candidate& candidate) const {
  const std::string path =
      files::Join(stack_.folder(), fmt::format("candidate_{}.yaml", place + 1));
  RETURN_IF_ERROR(files::WriteAtomically(path, PipelineText(WithCandidate(draft_, candidate))));
  ASSIGN_OR_RETURN(PipelineFile file, ReadPipelineFile(path));
  // All have the same dataset, which has the draft's name.
  file.overrides.push_back({"name", fmt::format("candidate_{}", place + 1)});
  // Those that are tried first end first, so that a short budget is enough for them.
  constexpr int kHighest = 100;
  file.overrides.push_back({"priority", std::to_string(kHighest - candidate.turn)});
  // Threads that wait for one another on a busy machine would cost more than they gain.
  file.overrides.push_back({"training.num_threads", "1"});
  supervisor::DiskFiles files = FilesOf(file);
  const auto checked = CheckPipelineFile(file, files);
  RETURN_IF_ERROR(checked.problems.ToStatus());
  ASSIGN_OR_RETURN(const auto submitted,
                   SubmitPipeline(stack_.session(), file, files, /*max_triggers=*/0,
                                  storage::v1::ON_OTHER_SPEC_UNSPECIFIED));
  return submitted.run_id();
}

int64_t CandidateRuns::NumRunning() const {
  v1::ListRunsRequest running;
  running.add_states(v1::RUN_STATE_RUNNING);
  const auto listed = stack_.session().Ask(&supervisor::SupervisorClient::FindRuns, running);
  return listed.ok() ? listed->runs_size() : MostAtOnce();
}

}  // namespace tidemill::cli
