// What a period of epochs is trained on, and its file.
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
  // Samples that were scored by a pass of their own, those of them whose score was no finite
  // number, and samples that could not be read.
  int64_t num_scored = 0;
  int64_t num_not_finite = 0;
  int64_t num_skipped = 0;
  // That it took to score and to choose.
  double seconds = 0;
};

// The files `<first epoch>.choice` of a folder: written atomically once a choice is made, so that a
// training that is interrupted and resumed goes on with the same samples and need not score again.
// Thread-compatible.
class ChoiceFiles {
 public:
  explicit ChoiceFiles(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Write(int64_t epoch, const Choice& choice) const;
  // NOT_FOUND when there is none; DATA_LOSS for a damaged one.
  absl::StatusOr<Choice> Read(int64_t epoch) const;
  // Removes those of periods that began before `epoch`.
  absl::Status Forget(int64_t epoch) const;

 private:
  std::string PathOf(int64_t epoch) const;

  const std::string folder_;
};

// Numbers by ordinal in a file of the same kind, such as the losses of an auxiliary model.
absl::Status WriteNumbers(const std::string& path, const std::vector<float>& numbers,
                          double seconds);
struct StoredNumbers {
  std::vector<float> numbers;
  double seconds = 0;
};
// NOT_FOUND; DATA_LOSS.
absl::StatusOr<StoredNumbers> ReadNumbers(const std::string& path);

}  // namespace tidemill::trainer_server
