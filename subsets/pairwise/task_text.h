// Problems, tasks and their results as text: lines of JSON between the leading process and its
// workers, and words for people.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "subsets/pairwise/tasks.h"

namespace tidemill::subsets {

// These return one line of text each.
std::string EncodeProblem(const Problem& problem);
std::string EncodeTask(const Task& task);
std::string EncodeResult(const TaskResult& result);

// DATA_LOSS when the text is not a JSON object.
absl::StatusOr<Problem> DecodeProblem(std::string_view text);
absl::StatusOr<Task> DecodeTask(std::string_view text);
absl::StatusOr<TaskResult> DecodeResult(std::string_view text);

// "picks from part 3 of 8 in round 2".
std::string Describe(const Task& task);

}  // namespace tidemill::subsets
