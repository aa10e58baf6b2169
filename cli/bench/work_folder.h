// The folder with the files of an entry's pipelines while it is measured.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/bench/bench_case.h"

namespace tidemill::cli {

// Returns the folder of an entry below `root`, with the files beside its benchmark.yaml, and with
// the results of its `prepare`, which runs once. NOT_FOUND when a file of the data is missing,
// DATA_LOSS when its bytes differ, FAILED_PRECONDITION when `prepare` fails.
absl::StatusOr<std::string> PrepareFolder(const SuiteEntry& entry, const std::string& root);

// The state of a data file.
enum class DataState { kThere, kMissing, kDiffers };
absl::StatusOr<DataState> StateOf(const DataFile& file);
// OK when all files of an entry exist. NOT_FOUND and DATA_LOSS name the remedy.
absl::Status CheckData(const SuiteEntry& entry);
// Downloads the missing files that have an address. Reports each step on stderr.
absl::Status FetchData(const SuiteEntry& entry);

}  // namespace tidemill::cli
