// The wish of the system that this process end soon: SIGTERM, as a job scheduler sends it before it
// takes a machine away.
#pragma once

namespace tidemill::process {

// From here on, SIGTERM no longer ends this process. IsInterrupted() says that it came. The process
// must then finish what it is doing, and end.
void NoteInterruptions();

// Whether SIGTERM has come since NoteInterruptions(). Thread-safe.
bool IsInterrupted();

}  // namespace tidemill::process
