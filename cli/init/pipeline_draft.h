// A guessed pipeline, and its text.
#pragma once

#include <string>
#include <vector>

#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"
#include "cli/init/training_choice.h"

namespace tidemill::cli {

// The files of a draft's dataset.
struct DraftedFiles {
  DataKind kind = DataKind::kCsv;
  std::string folder = {};              // Absolute.
  std::vector<std::string> paths = {};  // Below it, in the byte order of their paths.
  int64_t header_lines = 0;             // The lines before the first record of each file.
  // Whether the records are in the order of their times, from file to file.
  bool in_order = true;
};

struct PipelineDraft {
  std::string name = {};       // The name of the pipeline and its dataset.
  std::string command = {};    // "tidemill init data.csv --label y"
  std::string looked_at = {};  // "1,000 records, all of them: 58 KiB of 58 KiB"
  std::vector<Guess> dataset = {};
  std::vector<std::string> left_out = {};  // Columns that the graph does not read, with the reason.
  std::vector<Guess> graph = {};
  std::vector<Guess> sections = {};  // The sections after `preprocess`.
  std::vector<std::string> more_unknown = {};
  // The candidates that were tried first; empty with --quick.
  std::vector<std::string> tried = {};
  int64_t num_columns = 0;      // The columns of a record.
  TrainingFacts training = {};  // What the sections were chosen by.
  DraftedFiles files = {};

  // Returns the open questions of all parts.
  std::vector<std::string> Unknown() const;
};

// Returns the file: each guess, with its reason as a comment before it and the alternatives after
// it.
std::string PipelineText(const PipelineDraft& draft);

}  // namespace tidemill::cli
