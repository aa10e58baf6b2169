#include "evaluator/reading/page_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/logs/log.h"
#include "batch/slice.h"

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
  if (options_.kept != nullptr) {
    options_.kept->Open(graphs,
                        {.num_samples = page.num_rows(), .num_passes = options_.num_passes});
  }
  if (options_.workers != nullptr && !graphs.empty()) {
    ASSIGN_OR_RETURN(done, ReadAtWorkers(page, graphs, sink));
  }
  return ReadHere(page, done, graphs, sink);
}

absl::Status PageReader::ReadHere(const batch::Batch& page, int64_t from,
                                  std::span<const SharedGraph> graphs, const BlockSink& sink) {
  KeptRows* const kept = graphs.empty() ? nullptr : options_.kept;
  const int64_t found_before = kept == nullptr ? 0 : kept->num_found();
  for (int64_t to = from; from < page.num_rows(); from = to) {
    to = std::min(from + options_.block_rows, page.num_rows());
    if (kept == nullptr) {
      const auto keys =
          page.keys().subspan(static_cast<size_t>(from), static_cast<size_t>(to - from));
      RETURN_IF_ERROR(ReadBlock(storage_, options_.dataset, keys, sink));
    } else {
      ASSIGN_OR_RETURN(const SampleBlock block, kept->Make(batch::Slice(page, from, to), graphs));
      RETURN_IF_ERROR(sink(block));
    }
    prepared_.here += to - from;
  }
  if (kept != nullptr) prepared_.found += kept->num_found() - found_before;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> PageReader::ReadAtWorkers(const batch::Batch& page,
                                                  std::span<const SharedGraph> graphs,
                                                  const BlockSink& sink) {
  const absl::StatusOr<std::unique_ptr<PageAtWorkers>> opened =
      PageAtWorkers::Open({.workers = *options_.workers,
                           .kept = options_.kept,
                           .has_labels = options_.has_labels,
                           .block_rows = options_.block_rows},
                          page, graphs);
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
  prepared_.found += std::min(done, (*opened)->NumFound());
  return done;
}

}  // namespace tidemill::evaluator
