// The files that a pipeline names besides its data. Their contents come with the pipeline, so that
// only the command line opens them by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "evaluator/client/evaluation_spec.h"
#include "models/training/downsampling_spec.h"
#include "selector/client/selection_spec.h"
#include "supervisor/triggers/trigger.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// The contents of one pipeline's files, wherever their bytes are. Problems are noted at `field`.
// Thread-compatible.
class PipelineFiles {
 public:
  virtual ~PipelineFiles() = default;

  // Returns the bytes of a file that an op names, or std::nullopt after a problem. More than `most`
  // bytes are a problem.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view field, config::Problems& problems) = 0;

  // Returns the name of a network's file in the stored pipeline, "sha256:...", or std::nullopt
  // after a problem.
  virtual std::optional<std::string> Keep(const std::string& name, std::string_view field,
                                          config::Problems& problems) = 0;
};

// The prefix of the name of a file that is stored by its content. The SHA-256 in hexadecimal
// follows.
inline constexpr std::string_view kKeptFile = "sha256:";

// Replaces the names of files in a graph by their contents, because the graph goes to where the
// files are not. The files of a graph have at most 8 MiB together. `at` is the graph's place in the
// pipeline.
void ReadInto(transform::GraphSpec& graph, std::string_view at, PipelineFiles& files,
              config::Problems& problems);

// The same for the file of a plug-in that is the trigger.
void ReadInto(TriggerSpec& trigger, PipelineFiles& files, config::Problems& problems);

// The same for the file of a plug-in that scores samples of trainings.
void ReadInto(models::DownsamplingSpec& downsampling, PipelineFiles& files,
              config::Problems& problems);

// The same for the files of plug-ins that select.
void ReadInto(selector::SelectionSpec& selection, PipelineFiles& files, config::Problems& problems);

// The same for the files of measures that are plug-ins. `at` is the evaluation's place in the
// pipeline.
void ReadInto(evaluator::EvaluationSpec& evaluation, std::string_view at, PipelineFiles& files,
              config::Problems& problems);

}  // namespace tidemill::supervisor
