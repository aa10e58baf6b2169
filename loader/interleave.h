// Several sources of batches as one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"

namespace tidemill::loader {

// Which source each batch of an epoch comes from: in proportion to how many batches of an epoch
// each has, evenly spread. Every epoch is alike. Immutable.
class Interleave {
 public:
  // By source: batches of an epoch.
  explicit Interleave(std::span<const int64_t> num_batches);

  // Batches of an epoch of all sources.
  int64_t num_batches() const { return std::ssize(turns_); }
  // The source of a batch of an epoch.
  size_t SourceOf(int64_t index) const { return turns_[static_cast<size_t>(index)]; }
  // By source: how many of its batches, counted through all epochs, come before the `number`-th.
  std::vector<int64_t> BeginsAt(int64_t number) const;

 private:
  std::vector<int64_t> sizes_;
  std::vector<uint32_t> turns_;
};

// The batches of an interleave, epoch after epoch. Thread-compatible.
class InterleavedSource : public BatchSource {
 public:
  // `first_batch` is counted through all epochs; each source's own next batch is the one that
  // BeginsAt() names, and a source of which nothing is left may be nullptr. `num_samples`: of an
  // epoch of all sources.
  InterleavedSource(std::vector<std::unique_ptr<BatchSource>> sources, Interleave interleave,
                    int64_t num_samples, int64_t first_batch);

  int64_t num_samples() const override { return num_samples_; }
  int64_t num_batches() const override { return interleave_.num_batches(); }
  // Ends where the source whose turn it is ends.
  absl::StatusOr<std::optional<TrainingBatch>> Next() override;
  PathWork work() const override;

 private:
  const std::vector<std::unique_ptr<BatchSource>> sources_;
  const Interleave interleave_;
  const int64_t num_samples_;
  int64_t next_;  // Counted through all epochs.
};

}  // namespace tidemill::loader
