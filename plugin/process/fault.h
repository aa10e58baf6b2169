// A plug-in's failure as a status.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::plugin {

// The codes of calls of a plug-in:
//   INVALID_ARGUMENT    it raised an error, or its answer is not valid
//   DEADLINE_EXCEEDED   it took longer than it may; its process was ended
//   UNAVAILABLE         its process died, or, with IsOfMachine(), could not be started
//   CANCELLED           its caller no longer wants the answer; its process was ended
//   RESOURCE_EXHAUSTED  its input needs more memory than there is for it
//
// A message is for people: "surprise.py:Surprise: ZeroDivisionError: division by zero
// (surprise.py:31 in observe)". The status also carries the plug-in's last output and its
// traceback.

// Adds a traceback to a failure; ignores an empty one.
absl::Status WithTraceback(absl::Status failure, std::string_view traceback);

// Returns the plug-in's traceback, or else its last output; "" when there is neither.
std::string TracebackOf(const absl::Status& failure);

// Marks a failure as a failure of the machine: no process could be started, which is not the fault
// of the plug-in, and may be temporary. Copies the traceback of `cause`.
absl::Status OfMachine(absl::Status failure, const absl::Status& cause);
bool IsOfMachine(const absl::Status& failure);

}  // namespace tidemill::plugin
