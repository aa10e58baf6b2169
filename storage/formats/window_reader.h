// Reads a file from front to back through a window that grows with the largest record.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Gets the bytes from `offset` on. Returns the number of bytes that it has consumed. `last`:
// nothing follows.
using WindowConsumer =
    std::function<absl::StatusOr<size_t>(std::string_view window, int64_t offset, bool last)>;

// Passes `file` from `from` on to `consume`. Passes the bytes that it did not consume again, with
// more bytes after them, except at the end of the file. Stops, without a last window, once it has
// read `most_bytes`. Returns where it stopped. Reads into memory rather than through a mapping,
// because the file's owner may truncate it during the read. CANCELLED once `is_unwanted`, asked
// before each window, is true. Also returns the errors of `consume`.
absl::StatusOr<int64_t> ReadWindows(const OpenFile& file, int64_t from,
                                    const WindowConsumer& consume,
                                    int64_t most_bytes = std::numeric_limits<int64_t>::max(),
                                    const std::function<bool()>& is_unwanted = {});

}  // namespace tidemill::storage
