// The samples on which a period of epochs is trained, and their file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "loader/plan/subset.h"

namespace tidemill::trainer_server {

struct Choice {
  loader::Subset subset = {};
  // The number of samples scored in a separate pass; how many of their scores were not finite;
  // how many samples could not be read; and how many the graph has filtered.
  int64_t num_scored = 0;
  int64_t num_not_finite = 0;
  int64_t num_skipped = 0;
  int64_t num_filtered = 0;
  // The time to score and to choose.
  double seconds = 0;
};

// The files `<first epoch>.choice` of a folder. A file is written atomically once a choice is made.
// A training that is interrupted and resumed therefore continues with the same samples, without
// scoring them again. Thread-compatible.
class ChoiceFiles {
 public:
  explicit ChoiceFiles(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Write(int64_t epoch, const Choice& choice) const;
  // NOT_FOUND when there is no choice. DATA_LOSS when it is damaged.
  absl::StatusOr<Choice> Read(int64_t epoch) const;
  // Removes the choices of the periods that began before `epoch`.
  absl::Status Forget(int64_t epoch) const;

 private:
  std::string PathOf(int64_t epoch) const;

  const std::string folder_;
};

// Writes one number per ordinal into a file of the same kind, such as the losses of an auxiliary
// model.
absl::Status WriteNumbers(const std::string& path, const std::vector<float>& numbers,
                          double seconds);
struct StoredNumbers {
  std::vector<float> numbers;
  double seconds = 0;
};
// NOT_FOUND; DATA_LOSS.
absl::StatusOr<StoredNumbers> ReadNumbers(const std::string& path);

}  // namespace tidemill::trainer_server
