// Reads the samples of a window in blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "storage/client/storage_client.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::evaluator {

// The samples of a block, the keys that storage did not return, and the number of keys.
struct SampleBlock {
  batch::Batch samples = {};
  std::vector<storage::v1::MissingSample> missing = {};
  int64_t num_known = 0;
};
using BlockSink = std::function<absl::Status(const SampleBlock& block)>;

// Reads the samples of `window` in the order of the stream, `block_rows` at a time. Memory is
// therefore bounded, and the blocks are the same each time. Returns the errors of the storage
// client's methods and of `sink`.
absl::Status ReadWindow(const storage::StorageClient& storage, const rpc::v1::Snapshot& snapshot,
                        const v1::Window& window, int64_t block_rows, const BlockSink& sink);

// Reads the samples with these keys, in their order, as one block.
absl::Status ReadBlock(const storage::StorageClient& storage, DatasetId dataset,
                       std::span<const int64_t> keys, const BlockSink& sink);

}  // namespace tidemill::evaluator
