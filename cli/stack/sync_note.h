// Says for what a sync of a dataset waits.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/view.h"
#include "storage/client/left_out_text.h"
#include "storage/client/storage_client.h"

namespace tidemill::cli {

// Says it on stderr, whenever the number of files has grown. With `quiet`, says nothing.
// Thread-compatible.
class SyncNote {
 public:
  explicit SyncNote(bool quiet) : quiet_(quiet) {}

  static std::string Text(int64_t num_awaited) {
    return "waiting for " + storage::AwaitedText(num_awaited);
  }

  void Take(const storage::v1::SyncDatasetResponse& message) {
    if (!quiet_ && message.num_awaited() > said_) {
      PrintToStderr(Text(message.num_awaited()) + "\n");
    }
    said_ = message.num_awaited();
  }

 private:
  const bool quiet_;
  int64_t said_ = 0;
};

}  // namespace tidemill::cli
