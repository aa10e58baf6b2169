// A guessed pipeline, and its text.
#pragma once

#include <string>
#include <vector>

#include "cli/init/guess.h"

namespace tidemill::cli {

struct PipelineDraft {
  std::string name = {};       // The name of the pipeline and its dataset.
  std::string command = {};    // "tidemill init data.csv --label y"
  std::string looked_at = {};  // "1,000 records, all of them: 58 KiB of 58 KiB"
  std::vector<Guess> dataset = {};
  std::vector<std::string> left_out = {};  // Columns that the graph does not read, with the reason.
  std::vector<Guess> graph = {};
  std::vector<Guess> sections = {};  // The sections after `preprocess`.
  std::vector<std::string> more_unknown = {};

  // Returns the open questions of all parts.
  std::vector<std::string> Unknown() const;
};

// Returns the file: each guess, with its reason as a comment before it and the alternatives after
// it.
std::string PipelineText(const PipelineDraft& draft);

}  // namespace tidemill::cli
