#include "evaluator/reading/window_samples.h"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "base/id.h"
#include "batch/labels.h"

namespace tidemill::evaluator {
namespace {

// Keys held at once.
constexpr int64_t kPageKeys = int64_t{1} << 18;

struct Page {
  std::vector<batch::Batch> pieces = {};
  int64_t num_keys = 0;
  // Where the next page begins; absent after the last one.
  std::optional<rpc::v1::Cut> next = std::nullopt;
};

// The cut right after a sample.
rpc::v1::Cut CutBehind(int64_t event_time, int64_t key) {
  rpc::v1::Cut cut;
  cut.set_event_time(event_time);
  cut.set_sample_key(key + 1);
  return cut;
}

absl::StatusOr<Page> ListPage(const storage::StorageClient& storage,
                              const storage::v1::ListSamplesRequest& request) {
  Page page;
  const absl::Status status = storage.ListSamples(request, [&](batch::Batch batch) -> absl::Status {
    if (batch.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Column* times,
                     batch.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const rpc::v1::Cut behind = CutBehind(times->Values<int64_t>().back(), batch.keys().back());
    page.num_keys += batch.num_rows();
    page.pieces.push_back(std::move(batch));
    if (page.num_keys < kPageKeys) return absl::OkStatus();
    page.next = behind;
    return Cancelled("the page is full");
  });
  if (!page.next) RETURN_IF_ERROR(status);
  return page;
}

}  // namespace

std::vector<int64_t> PreparedRowsOf(const batch::Batch& samples, bool has_labels) {
  if (has_labels) return batch::LabelledRows(samples);
  std::vector<int64_t> all(static_cast<size_t>(samples.num_rows()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void DropMissing(SampleBlock& block) {
  if (block.missing.empty()) return;
  absl::flat_hash_set<int64_t> missing;
  for (const storage::v1::MissingSample& sample : block.missing) {
    missing.insert(sample.sample_key());
  }
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < block.samples.num_rows(); ++row) {
    if (!missing.contains(block.samples.keys()[static_cast<size_t>(row)])) rows.push_back(row);
  }
  block.samples = block.samples.Take(rows);
}

absl::Status ReadBlock(const storage::StorageClient& storage, DatasetId dataset,
                       std::span<const int64_t> keys, const BlockSink& sink) {
  std::vector<batch::Batch> batches;
  SampleBlock block;
  block.num_known = std::ssize(keys);
  RETURN_IF_ERROR(storage.ReadSamples(
      dataset, keys,
      [&](batch::Batch batch, const std::vector<storage::v1::MissingSample>& missing) {
        if (batch.num_rows() > 0) batches.push_back(std::move(batch));
        block.missing.insert(block.missing.end(), missing.begin(), missing.end());
        return absl::OkStatus();
      }));
  if (batches.size() == 1) {
    block.samples = std::move(batches.front());
  } else if (!batches.empty()) {
    RETURN_IF_ERROR(batch::AlignLabels(batches));
    ASSIGN_OR_RETURN(block.samples, batch::Concatenate(batches));
  }
  return sink(block);
}

absl::Status ListWindow(const storage::StorageClient& storage, const rpc::v1::Snapshot& snapshot,
                        const v1::Window& window, const PageSink& sink) {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot;
  if (window.has_from()) *request.mutable_from() = window.from();
  if (window.has_to()) *request.mutable_to() = window.to();
  request.set_with_labels(true);
  for (;;) {
    ASSIGN_OR_RETURN(Page page, ListPage(storage, request));
    if (page.num_keys > 0) {
      RETURN_IF_ERROR(batch::AlignLabels(page.pieces));
      ASSIGN_OR_RETURN(const batch::Batch samples, batch::Concatenate(page.pieces));
      page.pieces.clear();
      RETURN_IF_ERROR(sink(samples));
    }
    if (!page.next) return absl::OkStatus();
    *request.mutable_from() = *page.next;
  }
}

}  // namespace tidemill::evaluator
