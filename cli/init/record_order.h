// The replacement for event times of records without times.
#pragma once

#include "cli/init/label_choice.h"
#include "cli/init/look/guess.h"
#include "cli/init/look/seen_data.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

// Returns an `event_time` that keeps the order of the records. When records of one class follow
// each other, as in a file that is sorted by its label, a training would see only one class; then
// the times are drawn from the records' contents.
Guess OrderAsTime(const SeenData& data, const SampledTable& table, const LabelChoice& label);

}  // namespace tidemill::cli
