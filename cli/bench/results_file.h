// The results of a benchmark, one line of JSON for each case that was measured. The file is
// replaced as a whole, so a kill at any time loses no earlier result.
#pragma once

#include <map>
#include <string>

#include "nlohmann/json.hpp"

#include "base/status.h"

namespace tidemill::cli {

// One file of results. A process must not write a file that another one writes. Thread-compatible.
class ResultsFile {
 public:
  // Reads the file, which need not exist. DATA_LOSS for a line that is not a result.
  static absl::StatusOr<ResultsFile> Open(const std::string& path);

  // Returns nullptr when the case was not measured, or was measured only with another digest
  // because the case has changed since.
  const nlohmann::ordered_json* Find(const std::string& name, const std::string& digest) const;
  // Returns the newest result of a case, whatever its digest. nullptr without any.
  const nlohmann::ordered_json* FindAny(const std::string& name) const;

  // Adds a result, which has `case` and `digest`, and syncs the file. It replaces an earlier result
  // of the case.
  absl::Status Add(nlohmann::ordered_json result);

  const std::map<std::string, nlohmann::ordered_json>& results() const { return results_; }

 private:
  explicit ResultsFile(std::string path) : path_(std::move(path)) {}
  absl::Status Take(nlohmann::ordered_json result);

  std::string path_;
  std::map<std::string, nlohmann::ordered_json> results_;  // By case.
};

}  // namespace tidemill::cli
