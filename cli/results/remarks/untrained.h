// The parts of a run's stream that no training used: triggers that were skipped, a stream that
// ended before any trigger, samples after the last trigger, samples of a live run that are ahead of
// the others. And what was decided and chosen in place of plug-ins that failed.
#pragma once

#include <cstdint>
#include <string>

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whether a trigger was skipped, or none fired. Samples after the last trigger are not a loss: they
// wait for the next one.
bool TrainedTooLittle(const supervisor::v1::GetRunResponse& run);

// Returns sentences for people, one per line, each after two blanks. Empty when everything was
// trained on.
std::string DescribeUntrained(const supervisor::v1::GetRunResponse& run);

// Returns the same in one line, for the head of a report: "trigger 2 was skipped: ...".
std::string UntrainedInBrief(const supervisor::v1::GetRunResponse& run);

// Returns the number of selections that were replaced because a plug-in failed. Needs the events of
// the run.
int64_t NumReplacedSelections(const supervisor::v1::GetRunResponse& run);

// "3 of 4 selections were made in place of those of the plug-in, which failed: ..."; empty when
// none was.
std::string DescribeReplacedSelections(const supervisor::v1::GetRunResponse& run);

// Returns the number of decisions that a plug-in could not make, so that the answer was that of
// `on_fault`. Needs the events of the run.
int64_t NumReplacedDecisions(const supervisor::v1::GetRunResponse& run);

// "8 decisions were made as `on_fault` says, because the plug-in failed: ..."; empty when none was.
std::string DescribeReplacedDecisions(const supervisor::v1::GetRunResponse& run);

// Adds `num_replaced_selections` and `num_replaced_decisions`. Needs the events of the run.
void AddReplaced(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json);

// Adds `num_skipped_triggers` and, once the stream has ended, `end_of_stream`.
void AddUntrained(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json);

// Returns a line about the samples that are ahead, or "" when there are none.
std::string DescribeAhead(const supervisor::v1::GetRunResponse& run);

// Adds them as "ahead" when there are some.
void AddAhead(const supervisor::v1::GetRunResponse& run, nlohmann::ordered_json& json);

}  // namespace tidemill::cli
