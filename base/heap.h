// How this process keeps its memory.
#pragma once

#include <cstddef>

namespace tidemill {

// Makes the heap keep up to 32 MiB of what it is given back, where its default is to return a free
// end of 128 KiB to the kernel: a stream allocates and frees megabytes a thousand times a second,
// and to have their pages taken away and zeroed anew costs as much as all copies of their bytes.
// What is larger than 8 MiB goes back at once, as it should. To be called first in main().
void KeepFreedPages();

// Returns what lies free in the heap to the kernel where that is more than 64 MiB: what a burst of
// calls has left in the heaps of their threads, which give nothing back by themselves. To be called
// now and then; costs a look otherwise. Thread-safe. Says whether it did.
bool ReturnFreedPages();

// What the process holds in memory, less what is a file's; 0 where that cannot be learnt.
size_t AnonymousBytes();

}  // namespace tidemill
