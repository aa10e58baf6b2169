#include "preprocess/transport/batch_message.h"

#include "batch/wire.h"

namespace tidemill::preprocess {

int64_t BytesOf(const BatchMessage& message) {
  if (message.rows.columns().empty()) return 0;
  return static_cast<int64_t>(batch::EncodedSize(message.rows));
}

}  // namespace tidemill::preprocess
