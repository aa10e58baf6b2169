// The part of a dataset on which candidates for its pipeline are tried.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "cli/init/pipeline_draft.h"

namespace tidemill::cli {

// How much is copied at most, however large the data is.
struct RowLimits {
  int64_t num_rows = 6'000;
  int64_t num_cells = 240'000;  // Rows times columns.
  int64_t num_bytes = int64_t{24} << 20;
  // Fewer rows than this are too few to judge by: of small data, more than a third is copied.
  int64_t least_rows = 600;
  int64_t num_images = 900;
};

struct FirstRows {
  int64_t num_rows = 0;  // Images, where each file is one.
  // "the 487 rows of the first third", "5,931 rows of the first third, in parts at equal distances"
  std::string description = {};
};

// Copies rows of the first third of the data to files of the same names below `to`: all of them if
// the limits permit, otherwise parts at equal distances. If the times do not rise from file to
// file, this is the first third of each file. Files get the times of modification of their
// originals, a minute earlier, so that they count as settled.
absl::StatusOr<FirstRows> CopyFirstRows(const PipelineDraft& draft, const std::string& to,
                                        const RowLimits& limits = {});

}  // namespace tidemill::cli
