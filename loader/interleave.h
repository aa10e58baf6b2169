// Joins several sources of batches into one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"

namespace tidemill::loader {

// Decides from which source each batch of an epoch comes. Sources take turns in proportion to the
// number of their batches, evenly spread. Every epoch has the same order. Immutable.
class Interleave {
 public:
  // `num_batches` is the number of batches of an epoch of each source.
  explicit Interleave(std::span<const int64_t> num_batches);

  // Returns the number of batches of an epoch of all sources together.
  int64_t num_batches() const { return std::ssize(turns_); }
  // Returns the source of a batch of an epoch.
  size_t SourceOf(int64_t index) const { return turns_[static_cast<size_t>(index)]; }
  // Returns, for each source, how many of its batches come before batch `number`, both counted
  // through all epochs.
  std::vector<int64_t> BeginsAt(int64_t number) const;

 private:
  std::vector<int64_t> sizes_;
  std::vector<uint32_t> turns_;
};

// Returns the batches of an interleave, epoch after epoch. Thread-compatible.
class InterleavedSource : public BatchSource {
 public:
  // `first_batch` is counted through all epochs. The next batch of each source must be the one that
  // BeginsAt() returns. A source that has nothing left may be nullptr. `num_samples` is the number
  // of samples in an epoch of all sources.
  InterleavedSource(std::vector<std::unique_ptr<BatchSource>> sources, Interleave interleave,
                    int64_t num_samples, int64_t first_batch);

  int64_t num_samples() const override { return num_samples_; }
  int64_t num_batches() const override { return interleave_.num_batches(); }
  // Ends when the source of the next batch ends.
  absl::StatusOr<std::optional<TrainingBatch>> Next() override;
  PathWork work() const override;

 private:
  const std::vector<std::unique_ptr<BatchSource>> sources_;
  const Interleave interleave_;
  const int64_t num_samples_;
  int64_t next_;  // Counted through all epochs.
};

}  // namespace tidemill::loader
