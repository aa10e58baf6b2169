// Whether a pipeline makes sense: everything that can be known before it runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "supervisor/pipeline/dataset_peek.h"
#include "supervisor/pipeline/pipeline_files.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// A pipeline file.
struct PipelineSource {
  std::string_view text;
  // For messages.
  std::string_view file_name;
  // What ${NAME} may stand for.
  std::map<std::string, std::string> variables = {};
  // Where relative dataset paths start.
  std::string base_folder = ".";
  // What the files that it names beside its data hold; null: it must name none.
  PipelineFiles* files = nullptr;
  // How datasets outside object stores are looked at; null: they are not.
  PeekAtDataset peek = nullptr;
};

// The spec of a registered dataset, for those that the pipeline only names; std::nullopt when it is
// not known, which is so offline.
using RegisteredDatasets =
    std::function<std::optional<storage::DatasetSpec>(const std::string& name)>;

struct CheckedPipeline : config::Decoded<PipelineSpec> {
  // What is allowed and hardly meant, or costs samples; only of a pipeline that could be read.
  config::Problems warnings;
};

// Reads a pipeline, makes dataset paths absolute, and looks for problems that no single section
// shows: datasets that nobody defines, paths without files, labels outside their classes, ops over
// columns that are not there, a loss, an output, a measure or a trigger that does not fit the
// label. Of each CSV dataset it tries the times, labels and numbers of the first records as the
// ingest and the graph would. Opens no file but by `source.peek` and `source.files`; changes
// nothing. All problems are reported at once.
CheckedPipeline CheckPipeline(const PipelineSource& source,
                              const RegisteredDatasets& registered = nullptr);

}  // namespace tidemill::supervisor
