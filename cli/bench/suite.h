// The benchmark suite on disk: a folder for each domain with a folder for each entry.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/bench/benchmark_spec.h"

namespace tidemill::cli {

struct SuiteEntry {
  BenchmarkSpec spec;
  std::string folder;  // An absolute path.
};

// Reads `<folder>/<domain>/<entry>/benchmark.yaml`, ordered by domain and name. NOT_FOUND when
// there is no entry. INVALID_ARGUMENT has every problem of the files.
absl::StatusOr<std::vector<SuiteEntry>> ReadSuite(const std::string& folder);

// Returns the entries with these names, domains, or domains and names ("tabular/elec2"), in the
// order of the suite; all for no names. NOT_FOUND lists the known entries.
absl::StatusOr<std::vector<SuiteEntry>> ChooseEntries(const std::vector<SuiteEntry>& suite,
                                                      const std::vector<std::string>& names);

}  // namespace tidemill::cli
