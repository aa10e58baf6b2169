// The records that a run's datasets left out, and the samples without a label.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "cli/terminal/view.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whether records were left out that no spec excludes, or samples were skipped in a training.
bool AnyLost(const supervisor::v1::GetRunResponse& run);

// "2 files of `d` were not taken: a.csv (it cannot be read now: ...), b.csv (...)". Empty when all
// were. `dataset` may be empty.
std::string DescribeNotTaken(const rpc::v1::FilesNotTaken& not_taken,
                             const std::string& dataset = "");

// {"files": 2, "first": [{"file", "reason"}]}, at most 20 of them.
nlohmann::ordered_json NotTakenToJson(const rpc::v1::FilesNotTaken& not_taken);

// Returns lines for people, with the first reasons, and the files that were not taken. Empty when
// there is nothing to say.
std::string DescribeLeftOut(const supervisor::v1::GetRunResponse& run, const View& view);

// Returns {"records", "of", "files", "unlabelled", "lost_bytes", "of_bytes", "reasons":
// [{"dataset", "reason", "records", "files", "lost_bytes", "members", "wanted", "first": {"file",
// "record", "reason"}}], "not_taken": [{"dataset", "files", "first"}]} for all of the run's
// datasets together. `files` were left out as a whole; their records are not counted. No record
// could be found in `lost_bytes`. No sample uses `members` of archives. `wanted` counts records
// that the spec excludes. An empty reason stands for all reasons that are not listed.
nlohmann::ordered_json LeftOutToJson(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
