// What ops would make of the fields of the first records.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/pipeline/first_records.h"
#include "transform/graph_spec.h"

namespace tidemill::supervisor {

// Fields that are no numbers where an op takes numbers, one remark for each column of an op, with
// the first line that has one. Paths are below the graph: "[0].parse_csv.columns[2]". An error
// where more than `max_bad_fraction` of the records are concerned; else those samples alone are
// left out of trainings. Records with another number of fields than columns are passed over.
std::vector<config::Remark> TryFields(const FirstRecords& records,
                                      const transform::GraphSpec& graph, double max_bad_fraction);

}  // namespace tidemill::supervisor
