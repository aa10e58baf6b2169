// The priority of a thread when there are more threads than processors.
#pragma once

namespace tidemill {

// Lets the calling thread give way to threads of ordinary priority, of all processes, for the rest
// of its life. It is for work that is done ahead of need. The thread uses the processors that other
// threads leave idle, and a little more. Repeated calls cost nothing.
void LowerThreadPriority();

}  // namespace tidemill
