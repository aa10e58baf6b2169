// Tries the ops of a graph on the fields of the first records.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/checks/first_records.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// Finds fields that are not numbers although an op takes numbers, and different whole numbers that
// become one float32. There is one remark for each
// column of an op, with the first line that has such a field. Paths are below the graph:
// "[0].parse_csv.columns[2]". It is an error when more than `max_bad_fraction` of the records are
// concerned; otherwise only these samples are left out of trainings. Records whose number of fields
// is not that of the columns are ignored.
std::vector<config::Remark> TryFields(const FirstRecords& records,
                                      const transform::GraphSpec& graph, double max_bad_fraction);

}  // namespace tidemill::supervisor
