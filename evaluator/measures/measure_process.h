// The process of a measure that is a plug-in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/measures/measure.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::evaluator {

// The most numbers that a sample may contribute.
inline constexpr size_t kMostContributions = 64;

// What the samples of a block contribute.
struct ContributedBlock {
  std::vector<double> numbers = {};
  size_t width = 1;
};

// Asks a measure plug-in. Its process is started by the first question, and ends with this object.
// Failures are those of plugin/process/fault.h. Thread-safe.
class MeasureProcess {
 public:
  explicit MeasureProcess(const plugin::PluginUse& use);

  // Asks what the samples of a block contribute. However large the block is, what is sent at once
  // is bounded. What a sample contributes must not depend on where it is asked about, so the cuts
  // change nothing.
  absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block);

  // Returns the value of each row of sums, `width` numbers each; std::nullopt where there is none.
  // A row without samples has none: the caller does not ask about it.
  absl::StatusOr<std::vector<std::optional<double>>> Combine(std::span<const double> sums,
                                                             size_t width);

  // Notes why a value is absent, for a caller who could not be told. The first reason stays.
  void Note(const absl::Status& failure);
  // Whether something is noted.
  bool has_noted();
  // Returns what was noted, and forgets it.
  absl::Status TakeNoted();

 private:
  // Asks about some samples of a block, and adds what they contribute to `into`.
  absl::Status Ask(const Outcomes& block, size_t begin, size_t num_rows, ContributedBlock& into)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes a call with these columns, unless the plug-in has taken too long too often.
  absl::StatusOr<batch::Batch> Call(const char* call, const batch::Batch& columns)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A fault of the plug-in: what it answered is no answer.
  absl::Status Refuse(const std::string& what) const;

  const std::string use_;
  Mutex mutex_;
  plugin::PluginInstance instance_ ABSL_GUARDED_BY(mutex_);
  absl::Status noted_ ABSL_GUARDED_BY(mutex_);
  // How often it took too long.
  int num_late_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::evaluator
