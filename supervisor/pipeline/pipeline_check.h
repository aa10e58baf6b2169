// Checks a pipeline: everything that can be known before it runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "supervisor/pipeline/dataset_peek.h"
#include "supervisor/pipeline/pipeline_files.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// A pipeline file.
struct PipelineSource {
  std::string_view text;
  // The name for messages.
  std::string_view file_name;
  // The values of ${NAME}.
  std::map<std::string, std::string> variables = {};
  // The folder where relative dataset paths begin.
  std::string base_folder = ".";
  // The contents of the files that it names besides its data. nullptr: it must not name any.
  PipelineFiles* files = nullptr;
  // How to look at datasets outside object stores. nullptr: do not look at them.
  PeekAtDataset peek = nullptr;
};

// Returns the spec of a registered dataset that the pipeline only names. std::nullopt when it is
// unknown, as it is offline.
using RegisteredDatasets =
    std::function<std::optional<storage::DatasetSpec>(const std::string& name)>;

// A dataset of which no data were looked at.
struct NotLooked {
  std::string path;    // In the document: "datasets.weather".
  std::string reason;  // What follows a colon.
};

// What an expression of a dataset gives for the records that were tried.
struct ValuesSeen {
  std::string path;  // In the document: "datasets.weather.where".
  std::string text;  // "true, false, true, ...; of 812 records 500 are filtered, 3 of them null".
};

// What the rules of a list of columns chose.
struct ChosenColumns {
  std::string path;  // In the document: "preprocess.graph[0].parse_csv.columns".
  std::vector<std::string> names;

  // "127 columns: sensor_1, sensor_2, sensor_4, sensor_5, sensor_6, sensor_7, ..."
  std::string Describe() const;
};

struct CheckedPipeline : config::Decoded<PipelineSpec> {
  // What is allowed but probably not intended, or costs samples. Filled in only when the pipeline
  // could be read.
  config::Problems warnings;
  std::vector<NotLooked> not_looked;
  std::vector<ValuesSeen> values;
  std::vector<ChosenColumns> chosen;
};

// Reads a pipeline and makes dataset paths absolute. Looks for problems that no single section
// shows: datasets that nobody defines; paths without files; labels outside their classes; ops over
// columns that do not exist; a loss, output, measure or trigger that does not fit the label. For
// each dataset, tries the records that a look shows as the ingest and the graph would, and says of
// which datasets no data were looked at. Writes names where rules choose columns that are known.
// Opens files only through `source.peek` and `source.files`. Changes nothing. Reports all problems
// at once.
CheckedPipeline CheckPipeline(const PipelineSource& source,
                              const RegisteredDatasets& registered = nullptr);

}  // namespace tidemill::supervisor
