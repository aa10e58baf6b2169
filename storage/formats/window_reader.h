// Reads a file front to back through a window that grows with its largest record.
#pragma once

#include <functional>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Is shown the bytes from `offset` on; returns how many it has dealt with. `last`: nothing follows.
using WindowConsumer =
    std::function<absl::StatusOr<size_t>(std::string_view window, int64_t offset, bool last)>;

// Shows `file` from `from` on to `consume`; what it leaves is shown again with more behind it.
// Bytes that it leaves at the end of the file are not shown again. Returns where it stopped.
// Reads into memory rather than through a mapping: the file's owner may truncate it meanwhile.
absl::StatusOr<int64_t> ReadWindows(const OpenFile& file, int64_t from,
                                    const WindowConsumer& consume);

}  // namespace tidemill::storage
