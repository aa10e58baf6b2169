#include "cli/init/candidates/candidate.h"

#include <algorithm>
#include <utility>

namespace tidemill::cli {
namespace {

constexpr std::string_view kTimeOp = "time_features";

bool IsOfTime(const Guess& op) { return op.key == kTimeOp; }

// Whether the graph has features of the time beside others.
bool CanDoWithoutTime(const PipelineDraft& draft) {
  const bool has_time = std::ranges::any_of(draft.graph, IsOfTime);
  const bool has_other = std::ranges::any_of(
      draft.graph, [](const Guess& op) { return op.key == "parse_csv" || op.key == "parse_json"; });
  return has_time && has_other;
}

int TurnOf(const Recipe& recipe, bool with_time) {
  return (recipe.all_data ? 0 : 2) + (recipe.is_linear ? 0 : 1) + (with_time ? 0 : 4);
}

}  // namespace

std::vector<Candidate> CandidatesFor(const PipelineDraft& draft) {
  std::vector<Candidate> candidates;
  for (const Recipe& recipe : RecipesFor(draft.training)) {
    candidates.push_back(
        {.name = Describe(recipe, draft.training), .recipe = recipe, .turn = TurnOf(recipe, true)});
  }
  if (!CanDoWithoutTime(draft)) return candidates;
  std::vector<Candidate> all;
  for (Candidate& candidate : candidates) {
    const bool both = candidate.recipe.all_data;
    all.push_back(candidate);
    if (!both) continue;
    candidate.name += ", without the time";
    candidate.with_time = false;
    candidate.turn = TurnOf(candidate.recipe, false);
    all.push_back(std::move(candidate));
  }
  return all;
}

PipelineDraft WithCandidate(PipelineDraft draft, const Candidate& candidate) {
  draft.sections = ChooseTraining(draft.training, candidate.recipe);
  if (candidate.with_time) return draft;
  std::erase_if(draft.graph, IsOfTime);
  draft.left_out.emplace_back("features of the time: they did not help in the trial");
  return draft;
}

}  // namespace tidemill::cli
