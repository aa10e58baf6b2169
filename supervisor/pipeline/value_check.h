// Event times, labels and numbers of fields of the first records, tried with the ingest's readers.
#pragma once

#include <vector>

#include "base/time.h"
#include "config/remark.h"
#include "supervisor/pipeline/first_records.h"

namespace tidemill::supervisor {

struct TriedValues {
  std::vector<config::Remark> remarks;
  std::vector<Timestamp> times;  // Of the records that say one, in their order.
};

// Each mistake is named with the first line that has it, its value and what to write instead. It is
// an error where the ingest would quarantine such a file, see `max_bad_fraction`; else those
// records alone are left out. Labels with named classes are not looked at here. The columns that
// the spec names are among those of the records.
TriedValues TryValues(const FirstRecords& records, const storage::DatasetSpec& spec);

}  // namespace tidemill::supervisor
