#include "evaluator/reading/page_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::evaluator {
namespace {

void WarnOf(const absl::Status& failure) {
  log::Warn("workers cannot prepare samples to measure; this process does",
            {{"error", failure.ToString()}});
}

}  // namespace

absl::Status PageReader::Read(const batch::Batch& page, std::span<const SharedGraph> graphs,
                              const BlockSink& sink) {
  int64_t done = 0;
  if (options_.workers != nullptr && !graphs.empty()) {
    ASSIGN_OR_RETURN(done, ReadAtWorkers(page, graphs, sink));
  }
  for (auto rest = page.keys().subspan(static_cast<size_t>(done)); !rest.empty();) {
    const size_t num_keys = std::min(rest.size(), static_cast<size_t>(options_.block_rows));
    RETURN_IF_ERROR(ReadBlock(storage_, options_.dataset, rest.first(num_keys), sink));
    prepared_.here += static_cast<int64_t>(num_keys);
    rest = rest.subspan(num_keys);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PageReader::ReadAtWorkers(const batch::Batch& page,
                                                  std::span<const SharedGraph> graphs,
                                                  const BlockSink& sink) {
  const absl::StatusOr<std::unique_ptr<PageAtWorkers>> opened = PageAtWorkers::Open(
      *options_.workers, page, graphs, options_.has_labels, options_.block_rows);
  if (!opened.ok()) WarnOf(opened.status());
  if (!opened.ok() || *opened == nullptr) return 0;
  int64_t done = 0;
  while (done < page.num_rows()) {
    absl::StatusOr<MadeBlock> made = (*opened)->Next(options_.block_rows);
    if (!made.ok()) {
      WarnOf(made.status());
      break;
    }
    if (!made->unclear.empty()) {
      SampleBlock read;
      const auto keep = [&read](const SampleBlock& block) {
        read = block;
        return absl::OkStatus();
      };
      RETURN_IF_ERROR(ReadBlock(storage_, options_.dataset, made->unclear, keep));
      AddUnclear(read, graphs, options_.has_labels, made->block);
    }
    const auto num_read = std::ssize(made->unclear);
    prepared_.here += num_read;
    prepared_.at_workers += made->block.num_known - num_read;
    done += made->block.num_known;
    RETURN_IF_ERROR(sink(made->block));
  }
  return done;
}

}  // namespace tidemill::evaluator
