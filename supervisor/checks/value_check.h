// Tries the ingest's readers on the event times, labels and numbers of the first records.
#pragma once

#include <vector>

#include "base/time.h"
#include "config/remark.h"
#include "supervisor/checks/first_records.h"

namespace tidemill::supervisor {

struct TriedValues {
  std::vector<config::Remark> remarks;
  std::vector<Timestamp> times;  // The times of the records that have one, in their order.
};

// Each mistake is reported with the first line that has it, its value, and what to write instead.
// It is an error when the ingest would quarantine such a file (see `max_bad_fraction`); otherwise
// only these records are left out. Labels with named classes are not checked here. The columns that
// the spec names must be among those of the records.
TriedValues TryValues(const FirstRecords& records, const storage::DatasetSpec& spec);

}  // namespace tidemill::supervisor
