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
inline constexpr size_t kMaxContributions = 64;

// The contributions of the samples of a block.
struct ContributedBlock {
  std::vector<double> numbers = {};
  size_t width = 1;
};

// Asks a measure plug-in. Its process is started by the first call, and ends with this object.
// Errors are as in plugin/process/fault.h. Thread-safe.
class MeasureProcess {
 public:
  explicit MeasureProcess(const plugin::PluginUse& use);

  // Asks for the contributions of the samples of a block. A large block is sent in pieces. The
  // contribution of a sample must not depend on the other samples, so the division changes nothing.
  absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block);

  // Returns the value of each row of sums, `width` numbers each; std::nullopt if there is none. A
  // row without samples has no value, and the caller must not pass one.
  absl::StatusOr<std::vector<std::optional<double>>> Combine(std::span<const double> sums,
                                                             size_t width);

  // Notes why a value is absent, when the failure cannot be returned. Keeps the first failure.
  void Note(const absl::Status& failure);
  // Whether a failure is noted.
  bool has_noted();
  // Returns the noted failure, and forgets it.
  absl::Status TakeNoted();

 private:
  // Asks about some samples of a block, and adds what they contribute to `into`.
  absl::Status Ask(const Outcomes& block, size_t begin, size_t num_rows, ContributedBlock& into)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes a call with these columns, unless the plug-in has timed out too often.
  absl::StatusOr<batch::Batch> Call(const char* call, const batch::Batch& columns)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns a fault of the plug-in for an answer that is not valid.
  absl::Status Refuse(const std::string& what) const;

  const std::string use_;
  Mutex mutex_;
  plugin::PluginInstance instance_ ABSL_GUARDED_BY(mutex_);
  absl::Status noted_ ABSL_GUARDED_BY(mutex_);
  // The number of its calls that timed out.
  int num_late_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::evaluator
