// The pipelines that `init` tries before it writes one.
#pragma once

#include <string>
#include <vector>

#include "cli/init/pipeline_draft.h"

namespace tidemill::cli {

// A pipeline that could be written.
struct Candidate {
  std::string name = {};  // "a linear model on all data so far, without the time"
  Recipe recipe = {};
  bool with_time = true;  // Whether the graph has the draft's features of the time.
  // The order in which candidates are tried, in case that not all fit into the budget: those first
  // that differ most from one another.
  int turn = 0;
};

// Returns three to six candidates for the data of a draft, the simplest first.
std::vector<Candidate> CandidatesFor(const PipelineDraft& draft);

// Returns the draft with the graph and the sections of a candidate.
PipelineDraft WithCandidate(PipelineDraft draft, const Candidate& candidate);

}  // namespace tidemill::cli
