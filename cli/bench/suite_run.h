// Measures the cases of a plan, one after the other, and stores each result at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "cli/bench/bench_case.h"
#include "cli/bench/case_runner.h"
#include "cli/bench/results_file.h"

namespace tidemill::cli {

// The results of all entries: a file `<entry>.jsonl` for each. Holds a lock on the folder.
// Thread-compatible.
class SuiteResults {
 public:
  // Creates the folder. FAILED_PRECONDITION when another process measures into it.
  static absl::StatusOr<SuiteResults> Open(const std::string& folder);
  // Reads the results without a lock.
  static absl::StatusOr<SuiteResults> Read(const std::string& folder);

  // Returns the results of an entry, which are valid as long as this object.
  absl::StatusOr<ResultsFile*> Of(const std::string& entry);

 private:
  SuiteResults(std::string folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::string folder_;
  Descriptor lock_;
  std::map<std::string, ResultsFile> files_;
};

// How the cases of a plan ended.
struct SuiteOutcome {
  int64_t num_measured = 0;
  int64_t num_kept = 0;             // Measured before.
  std::vector<std::string> failed;  // With the reason.
};

// Measures the cases that `results` does not have. A case that fails does not stop the others.
// Reports on stderr the case that is measured, and the estimated time of the rest. CANCELLED when
// the user detaches.
absl::StatusOr<SuiteOutcome> RunSuite(const BudgetedPlan& plan, const CaseRunner& runner,
                                      const nlohmann::ordered_json& machine, SuiteResults& results,
                                      bool quiet);

}  // namespace tidemill::cli
