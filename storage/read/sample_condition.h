// Finds the listed samples for which an expression is true.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/fields/sample_expression.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_index.h"
#include "storage/read/open_files.h"

namespace tidemill::storage {

// Reads the samples in blocks of about `block_bytes`, unless the expression names only @time and
// @label. Movable. Thread-compatible. All arguments that are references must outlive it.
class SampleCondition {
 public:
  // INVALID_ARGUMENT for a mistake in the expression.
  static absl::StatusOr<SampleCondition> Make(SampleIndex& indexes,
                                              std::shared_ptr<const DatasetIndex> index,
                                              OpenFiles& files, const std::string& where,
                                              int64_t block_bytes);

  // Adds the column `matches`, uint8, to rows with key, event_time and labels. A sample that cannot
  // be read counts as a match, so that it is reported as bad where it is used.
  absl::Status AddMatches(batch::Batch& rows);

  // Logs how many fields were not what the expression needs, and counted as null. Call it once, at
  // the end.
  void LogUnfit() const;

 private:
  SampleCondition(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index, OpenFiles& files,
                  samples::SampleExpression expression, int64_t block_bytes);

  absl::Status ReadRecords(const batch::Batch& rows, std::span<uint8_t> matches);

  SampleIndex* indexes_;
  std::shared_ptr<const DatasetIndex> index_;
  OpenFiles* files_;
  samples::SampleExpression expression_;
  int64_t block_bytes_;
};

}  // namespace tidemill::storage
