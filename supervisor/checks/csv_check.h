// Compares the beginning of a CSV file with the spec of its dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/remark.h"
#include "supervisor/checks/first_records.h"

namespace tidemill::supervisor {

// A class by its number, and the first record that has it: "a.csv, line 52".
struct NumberedClass {
  int64_t number = 0;
  std::string where;
};

struct DataFacts {
  std::vector<Timestamp> times =
      {};  // The event times of the first records, in the order of the file.
  std::optional<int64_t> num_samples = {};  // Only when all samples were read.
  std::vector<NumberedClass> classes = {};  // Labels that are whole numbers, each once.
};

struct CsvFindings {
  std::vector<config::Remark> remarks = {};  // Paths are below the dataset.
  // Absent when the file does not name them.
  std::optional<std::vector<std::string>> columns = std::nullopt;
  FirstRecords records = {};  // Empty when they cannot be read.
  DataFacts facts = {};
};

// Checks encoding, header, delimiter, columns, event times and labels. The spec's format must be
// delimited text. `live` says that more data may still come. Opens no file.
CsvFindings CheckCsv(const FileStart& start, const storage::DatasetSpec& spec, bool live);

}  // namespace tidemill::supervisor
