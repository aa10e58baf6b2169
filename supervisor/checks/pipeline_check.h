// Checks a pipeline: everything that can be known before it runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "supervisor/checks/dataset_peek.h"
#include "supervisor/pipeline/pipeline_files.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "transform/engine/sample_schema.h"

// The order of the checks. Each uses what those above it have found.
//
//   YAML            decoded strictly; with problems, nothing below is checked
//   names, files    the files that the spec names are read into it
//   datasets        each on its own, by a peek at its files
//   references      from section to section: dataset names, the network, workers
//   training        the graph, the loss and the first features of the trained dataset
//   evaluation      each on the schema of its dataset
//   policies        trigger and selection, on the samples that they would see
//   advice          remarks on valid settings that are probably useless

namespace tidemill::supervisor {

// A pipeline file.
struct PipelineSource {
  std::string_view text;
  // The name for messages.
  std::string_view file_name;
  // The values of ${NAME}.
  std::map<std::string, std::string> variables = {};
  // Values that replace those of the text.
  std::vector<config::Override> overrides = {};
  // The folder where relative dataset paths begin.
  std::string base_folder = ".";
  // The contents of the files that it names besides its data. nullptr: it must not name any.
  PipelineFiles* files = nullptr;
  // Reads from datasets outside object stores. nullptr: do not read them.
  PeekAtDataset peek = nullptr;
};

// Returns the spec of a registered dataset that the pipeline only names. std::nullopt when it is
// unknown, such as offline.
using RegisteredDatasets =
    std::function<std::optional<storage::DatasetSpec>(const std::string& name)>;

// A dataset without any data read.
struct NotLooked {
  std::string path;    // In the document: "datasets.weather".
  std::string reason;  // Worded to follow a colon.
};

// The values of an expression of a dataset for the tried records.
struct ValuesSeen {
  std::string path;  // In the document: "datasets.weather.where".
  std::string text;  // "true, false, true, ...; of 812 records 500 are filtered, 3 of them null".
};

// The columns that the rules of a list chose.
struct ChosenColumns {
  std::string path;  // In the document: "preprocess.graph[0].parse_csv.columns".
  std::vector<std::string> names;

  // "127 columns: sensor_1, sensor_2, sensor_4, sensor_5, sensor_6, sensor_7, ..."
  std::string Describe() const;
};

// The samples that the pipeline trains on, so far as they were seen.
struct TrainedOn {
  storage::DatasetSpec dataset;
  transform::SampleSchema schema;
  std::optional<DatasetPeek> peek = std::nullopt;
};

struct CheckedPipeline : config::Decoded<PipelineSpec> {
  // Settings that are allowed but probably not intended, or that cost samples. Filled in only when
  // the pipeline could be read.
  config::Problems warnings;
  std::vector<NotLooked> not_looked;
  std::vector<ValuesSeen> values;
  std::vector<ChosenColumns> chosen;
  // Absent when the spec of the dataset is not known here.
  std::optional<TrainedOn> trained_on;
};

// Reads a pipeline and makes dataset paths absolute. Looks for problems that no single section
// shows: datasets that are not defined; paths without files; labels outside their classes; ops over
// columns that do not exist; a loss, output, measure or trigger that does not fit the label. For
// each dataset, tries some records as the ingest and the graph would, and lists the datasets of
// which no data was read. Replaces rules by the names of the columns that they choose, when the
// columns are known. Opens files only through `source.peek` and `source.files`. Changes nothing.
// Reports all problems at once.
CheckedPipeline CheckPipeline(const PipelineSource& source,
                              const RegisteredDatasets& registered = nullptr);

}  // namespace tidemill::supervisor
