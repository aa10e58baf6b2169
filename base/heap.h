// How this process keeps its memory.
#pragma once

namespace tidemill {

// Makes the heap keep up to 32 MiB of what it is given back, where its default is to return a free
// end of 128 KiB to the kernel: a stream allocates and frees megabytes a thousand times a second,
// and to have their pages taken away and zeroed anew costs as much as all copies of their bytes.
// What is larger than 8 MiB goes back at once, as it should. To be called first in main().
void KeepFreedPages();

}  // namespace tidemill
