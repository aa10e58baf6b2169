// Drafts a pipeline for a file, or for a folder with files.
#pragma once

#include "base/status.h"
#include "cli/init/draft_options.h"
#include "cli/init/pipeline_draft.h"

namespace tidemill::cli {

// Reads a bounded part of the data, and guesses all keys of a pipeline. Writes nothing. NOT_FOUND
// when there is no data. INVALID_ARGUMENT when an option does not fit the data, or the kind of the
// data cannot be guessed; the message names the remedy.
absl::StatusOr<PipelineDraft> DraftPipeline(const DraftOptions& options);

}  // namespace tidemill::cli
