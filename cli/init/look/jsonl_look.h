// Reads JSON Lines as a table of the fields of their objects.
#pragma once

#include "base/status.h"
#include "cli/init/look/seen_data.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

// Reads the sampled lines. Each single value within an object is a column, named by its path in the
// syntax of storage: `a.b`, `a["b c"]`. So are the first three elements of a list (`topics[0]`).
// Values nested more than kMaxJsonSteps levels deep are left out.
// INVALID_ARGUMENT when no line is an object.
absl::StatusOr<SampledTable> LookAtJsonLines(const SeenData& data);

}  // namespace tidemill::cli
