// What of a run's stream was not trained on: triggers that were skipped, a stream that ended before
// any fired, samples behind the last one.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whether less was trained than the pipeline asks for: a trigger was skipped, or none fired at all.
// Samples behind the last trigger are no loss: they wait for the next one.
bool TrainedTooLittle(const supervisor::v1::GetRunResponse& run);

// Sentences for people, one a line, each behind two blanks; empty where all was trained on.
std::string DescribeUntrained(const supervisor::v1::GetRunResponse& run);

// The same in one line, for the head of a report: "trigger 2 was skipped: ...".
std::string UntrainedInBrief(const supervisor::v1::GetRunResponse& run);

// Adds `num_skipped_triggers` and, once the stream has ended, `end_of_stream`.
void AddUntrained(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json);

}  // namespace tidemill::cli
