// What the beginning of a CSV file says of the spec of its dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/remark.h"
#include "supervisor/pipeline/first_records.h"

namespace tidemill::supervisor {

// What is known of a dataset's data.
struct DataFacts {
  std::vector<Timestamp> times = {};        // Of the first records, in the order of the file.
  std::optional<int64_t> num_samples = {};  // Only where all of them were seen.
};

struct CsvFindings {
  std::vector<config::Remark> remarks = {};  // Paths are below the dataset.
  // Absent where the file does not tell.
  std::optional<std::vector<std::string>> columns = std::nullopt;
  FirstRecords records = {};  // None where something keeps them from being read.
  DataFacts facts = {};
};

// Tries encoding, header, delimiter, columns, event times and labels. The spec's format is
// delimited text. `live`: more data may be still to come. Touches no file.
CsvFindings CheckCsv(const FileStart& start, const storage::DatasetSpec& spec, bool live);

}  // namespace tidemill::supervisor
