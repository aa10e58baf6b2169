// Lists the samples of a window in pages, and reads samples in blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/graph_rows.h"
#include "storage/client/storage_client.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::evaluator {

// The samples of a block, the keys that storage did not return, and the number of keys.
struct SampleBlock {
  batch::Batch samples = {};
  std::vector<storage::v1::MissingSample> missing = {};
  int64_t num_known = 0;
  // What graphs made of the samples with a label, by the fingerprint of the graph. With it, the
  // samples have no data. Empty: the samples are still to be run through the graphs.
  std::map<std::string, absl::StatusOr<GraphRows>> prepared = {};
};
using BlockSink = std::function<absl::Status(const SampleBlock& block)>;
using PageSink = std::function<absl::Status(const batch::Batch& page)>;

// Gives `sink` the samples of `window` in the order of the stream, page by page: keys, event times
// and labels. A page is never empty. Memory is therefore bounded, and the pages are the same each
// time. Returns the errors of the storage client's methods and of `sink`.
absl::Status ListWindow(const storage::StorageClient& storage, const rpc::v1::Snapshot& snapshot,
                        const v1::Window& window, const PageSink& sink);

// Returns the rows of a page that are prepared: all, or those with a label.
std::vector<int64_t> PreparedRowsOf(const batch::Batch& samples, bool has_labels);

// Drops the samples that are missing.
void DropMissing(SampleBlock& block);

// Reads the samples with these keys, in their order, as one block.
absl::Status ReadBlock(const storage::StorageClient& storage, DatasetId dataset,
                       std::span<const int64_t> keys, const BlockSink& sink);

}  // namespace tidemill::evaluator
