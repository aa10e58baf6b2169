// Where the files of an entry's pipelines are while it is measured.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/bench/bench_case.h"

namespace tidemill::cli {

// Returns the folder of an entry below `root`, with the files that stand beside its benchmark.yaml,
// and with what its `prepare` has made of the data. That is made once. NOT_FOUND when a file of the
// data is missing, DATA_LOSS when it has other bytes, FAILED_PRECONDITION when `prepare` fails.
absl::StatusOr<std::string> PrepareFolder(const SuiteEntry& entry, const std::string& root);

// What is there of a file of the data.
enum class DataState { kThere, kMissing, kDiffers };
absl::StatusOr<DataState> StateOf(const DataFile& file);
// OK when all files of an entry are there. NOT_FOUND and DATA_LOSS say what to do.
absl::Status CheckData(const SuiteEntry& entry);
// Loads the files that are missing and have an address. Says on stderr what it does.
absl::Status FetchData(const SuiteEntry& entry);

}  // namespace tidemill::cli
