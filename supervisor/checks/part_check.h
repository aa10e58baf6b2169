// Reports the records that the ingest would leave out, at the tried places of a dataset's files.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/checks/dataset_peek.h"

namespace tidemill::supervisor {

// Whether a part is the beginning of the first file, or a file that is a sample. Mistakes there are
// probably mistakes of the spec rather than of single records.
bool ShowsMistakesOfSpec(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                         const storage::TriedPart& part);

// "bytes 65536 to 131072 of a.csv", or the file when all of it is meant.
std::string PlaceOf(const storage::DatasetSpec& spec, const storage::TriedPart& part);

// It is an error when the ingest would leave out too many of the tried records; otherwise it is a
// warning. The beginning of a CSV file is not judged here but by CheckCsv(), unless the spec has a
// `where`.
std::vector<config::Remark> JudgeParts(const DatasetPeek& peek, const storage::DatasetSpec& spec);

}  // namespace tidemill::supervisor
