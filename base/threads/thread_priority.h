// How a thread stands among others when there are more of them than processors.
#pragma once

namespace tidemill {

// Lets the calling thread give way to threads of ordinary priority, of all processes, for the rest
// of its life: for work ahead of need. It takes what processors the others leave, and a little
// more. To call it again costs nothing.
void GiveWay();

}  // namespace tidemill
