// Files that a pipeline names beside its data: what they hold comes with the pipeline, so that
// nothing but the command line opens them by their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "supervisor/triggers/trigger.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// What the files of one pipeline hold, wherever their bytes are. Problems are noted at `field`.
// Thread-compatible.
class PipelineFiles {
 public:
  virtual ~PipelineFiles() = default;

  // The bytes of a file that an op names; std::nullopt after a problem, which more than `most`
  // bytes are.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view field, config::Problems& problems) = 0;

  // What stands for a network's file in the pipeline that is kept, "sha256:..."; std::nullopt after
  // a problem.
  virtual std::optional<std::string> Keep(const std::string& name, std::string_view field,
                                          config::Problems& problems) = 0;
};

// What begins the name of a file that is kept by its content: the SHA-256 in hexadecimal follows.
inline constexpr std::string_view kKeptFile = "sha256:";

// Puts what is in files in the place of their names: the graph goes where the files are not. The
// files of a graph hold at most 8 MiB together. `at`: the graph's own place in the pipeline.
void ReadInto(transform::GraphSpec& graph, std::string_view at, PipelineFiles& files,
              config::Problems& problems);

// The same for the file of a plug-in that is the trigger.
void ReadInto(TriggerSpec& trigger, PipelineFiles& files, config::Problems& problems);

}  // namespace tidemill::supervisor
