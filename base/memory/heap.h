// Controls how this process keeps free memory.
#pragma once

#include <cstddef>

namespace tidemill {

// Makes the heap keep up to 32 MiB of freed memory. By default the heap returns a free end of 128
// KiB to the kernel. A stream allocates and frees megabytes a thousand times a second. If the
// kernel took and zeroed their pages each time, that would cost as much as all copies of their
// bytes. Blocks larger than 8 MiB are still returned at once. Call it first in main().
void KeepFreedPages();

// Returns free memory of the heap to the kernel when it is more than 4 MiB. Such memory remains in
// the heaps of threads after a burst of calls, and grows with the calls of a service that does
// little; these heaps never shrink automatically. Also returns the blocks of the process's
// BlockPool that were not used since the previous call. Call it periodically; with less free
// memory, it does nothing. Thread-safe. Returns whether it returned memory.
bool ReturnFreedPages();

// Returns the bytes that the process has in memory, without mapped files; 0 when the number is
// unknown.
size_t AnonymousBytes();

}  // namespace tidemill
