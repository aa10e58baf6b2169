#include "evaluator/job/window_samples.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/id.h"
#include "batch/labels.h"

namespace tidemill::evaluator {
namespace {

// Keys held at once.
constexpr size_t kPageKeys = size_t{1} << 18;

struct Page {
  std::vector<int64_t> keys;
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
  const absl::Status status =
      storage.ListSamples(request, [&](const batch::Batch& batch) -> absl::Status {
        ASSIGN_OR_RETURN(const batch::Column* times,
                         batch.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
        page.keys.insert(page.keys.end(), batch.keys().begin(), batch.keys().end());
        if (page.keys.size() < kPageKeys) return absl::OkStatus();
        page.next = CutBehind(times->Values<int64_t>().back(), page.keys.back());
        return Cancelled("the page is full");
      });
  if (!page.next) RETURN_IF_ERROR(status);
  return page;
}

}  // namespace

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

absl::Status ReadWindow(const storage::StorageClient& storage, const rpc::v1::Snapshot& snapshot,
                        const v1::Window& window, int64_t block_rows, const BlockSink& sink) {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot;
  if (window.has_from()) *request.mutable_from() = window.from();
  if (window.has_to()) *request.mutable_to() = window.to();
  for (;;) {
    ASSIGN_OR_RETURN(const Page page, ListPage(storage, request));
    for (std::span<const int64_t> rest(page.keys); !rest.empty();) {
      const size_t num_keys = std::min(rest.size(), static_cast<size_t>(block_rows));
      RETURN_IF_ERROR(ReadBlock(storage, {snapshot.dataset_id()}, rest.first(num_keys), sink));
      rest = rest.subspan(num_keys);
    }
    if (!page.next) return absl::OkStatus();
    *request.mutable_from() = *page.next;
  }
}

}  // namespace tidemill::evaluator
