// A pipeline file with values put in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/pipelines/pipeline_file.h"
#include "config/documents/source.h"

namespace tidemill::cli {

// Returns the text of a pipeline file with these values in place of its own, so that it needs no
// `--set`. Its comments and its layout stay where every value can be put into a line of it: a value
// of one line that is there, or a key that is missing in a section that is there. Otherwise it is
// the canonical text of the pipeline, and `keeps_text` is false.
struct PipelineWithValues {
  std::string text = {};
  bool keeps_text = true;
};

// `remark` becomes a comment above it. INVALID_ARGUMENT when the pipeline with the values is not
// valid.
absl::StatusOr<PipelineWithValues> WithValues(const PipelineFile& file,
                                              const std::vector<config::Override>& values,
                                              const std::string& remark);

}  // namespace tidemill::cli
