// A plug-in's failure as a status.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::plugin {

// The codes of calls of a plug-in:
//   INVALID_ARGUMENT    it raised an error, or answered what is no answer
//   DEADLINE_EXCEEDED   it took longer than it may; its process was ended
//   UNAVAILABLE         its process died, or, with IsOfMachine(), none could be started
//   RESOURCE_EXHAUSTED  what it is to be shown needs more memory than there is for it
//
// A message is for people: "surprise.py:Surprise: ZeroDivisionError: division by zero
// (surprise.py:31 in observe)". What the plug-in printed last and its traceback go along.

// Adds to a failure what came with it; passes over what is empty.
absl::Status WithTraceback(absl::Status failure, std::string_view traceback);

// The plug-in's own traceback, or what it printed last; "" where there is none.
std::string TracebackOf(const absl::Status& failure);

// Marks a failure as one of the machine: no process could be started, which says nothing of the
// plug-in, and may be otherwise in a moment. Takes over what came with `cause`.
absl::Status OfMachine(absl::Status failure, const absl::Status& cause);
bool IsOfMachine(const absl::Status& failure);

}  // namespace tidemill::plugin
