#include "base/heap.h"

#include <malloc.h>

namespace tidemill {

void KeepFreedPages() {
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
}

}  // namespace tidemill
