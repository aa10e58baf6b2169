// A look at the beginning of a CSV dataset's first file, so that a misspelt column or class is
// found before the pipeline runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/client/dataset_spec.h"

namespace tidemill::supervisor {

struct CsvPeek {
  std::string file;  // Below the dataset's path.
  // The header's; empty for files without one.
  std::vector<std::string> columns;
  // Up to so many records as lie whole in the first 64 KiB; none when fields are quoted.
  std::vector<std::vector<std::string>> records;
};

// Which files a dataset has, as far as its pattern is simple enough to tell: it has no `**` and no
// brackets.
struct DatasetFiles {
  bool known = false;
  // The first in the order of paths; absent when none matches.
  std::optional<std::string> first;
};
DatasetFiles FindFiles(const storage::DatasetSpec& spec);

// std::nullopt when the file cannot be read or is compressed.
std::optional<CsvPeek> PeekCsv(const storage::DatasetSpec& spec, const storage::CsvFormat& format,
                               const std::string& file);

}  // namespace tidemill::supervisor
