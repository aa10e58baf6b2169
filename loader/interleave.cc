#include "loader/interleave.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

// Source a has 4 batches in an epoch, b has 2. Batch i of n is placed at (i + 1/2) / n:
//
//   a    .125     .375     .625     .875
//   b        .25                .75
//
//   turns    a    b    a    a    b    a
//
// Every prefix has about its share of each source, and the turns depend on the sizes alone. At
// equal places the source with the lower number comes first.

namespace tidemill::loader {

Interleave::Interleave(std::span<const int64_t> num_batches)
    : sizes_(num_batches.begin(), num_batches.end()) {
  std::vector<std::pair<double, uint32_t>> order;
  for (size_t source = 0; source < sizes_.size(); ++source) {
    for (int64_t i = 0; i < sizes_[source]; ++i) {
      order.emplace_back((static_cast<double>(i) + 0.5) / static_cast<double>(sizes_[source]),
                         static_cast<uint32_t>(source));
    }
  }
  std::ranges::sort(order);
  for (const auto& [place, source] : order) turns_.push_back(source);
}

std::vector<int64_t> Interleave::BeginsAt(int64_t number) const {
  std::vector<int64_t> begins(sizes_.size());
  if (turns_.empty()) return begins;
  for (size_t source = 0; source < sizes_.size(); ++source) {
    begins[source] = number / num_batches() * sizes_[source];
  }
  TIDEMILL_CHECK(number >= 0);
  for (int64_t index = 0; index < number % num_batches(); ++index) ++begins[SourceOf(index)];
  return begins;
}

InterleavedSource::InterleavedSource(std::vector<std::unique_ptr<BatchSource>> sources,
                                     Interleave interleave, int64_t num_samples,
                                     int64_t first_batch)
    : sources_(std::move(sources)),
      interleave_(std::move(interleave)),
      num_samples_(num_samples),
      next_(first_batch) {}

absl::StatusOr<std::optional<TrainingBatch>> InterleavedSource::Next() {
  if (interleave_.num_batches() == 0) return std::optional<TrainingBatch>();
  const int64_t index = next_ % interleave_.num_batches();
  const std::unique_ptr<BatchSource>& source = sources_[interleave_.SourceOf(index)];
  if (source == nullptr) return std::optional<TrainingBatch>();
  ASSIGN_OR_RETURN(std::optional<TrainingBatch> next, source->Next());
  if (!next) return next;
  ++next_;
  next->index = index;
  return next;
}

PathWork InterleavedSource::work() const {
  PathWork total;
  for (const std::unique_ptr<BatchSource>& source : sources_) {
    // All of one graph, so that they add up.
    if (source != nullptr) Merge(source->work(), total).IgnoreError();
  }
  return total;
}

}  // namespace tidemill::loader
