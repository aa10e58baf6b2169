// Reads a file from front to back through a window that grows with the largest record.
#pragma once

#include <functional>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Gets the bytes from `offset` on. Returns how many of them it has consumed. `last` says that
// nothing follows.
using WindowConsumer =
    std::function<absl::StatusOr<size_t>(std::string_view window, int64_t offset, bool last)>;

// Shows `file` from `from` on to `consume`. What `consume` leaves is shown again with more behind
// it, except at the end of the file. Returns where it stopped. Reads into memory rather than
// through a mapping, because the file's owner may truncate it meanwhile.
absl::StatusOr<int64_t> ReadWindows(const OpenFile& file, int64_t from,
                                    const WindowConsumer& consume);

}  // namespace tidemill::storage
