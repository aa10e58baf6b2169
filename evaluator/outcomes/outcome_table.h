// The outcomes of one model on one window. They are kept, column by column and in bounded memory,
// for measures of ranks, slices and intervals, which need all of them at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// A block of samples to add, with their columns.
struct OutcomeBlock {
  std::span<const int64_t> keys = {};
  // Their event times. Empty when no interval is asked for.
  std::span<const int64_t> times = {};
  Outcomes outcomes = {};
  // For measures of ranks: the probability of each class for each sample, one class after the
  // other. With two classes, only the probabilities of class 1.
  std::span<const float> scores = {};
  // For each column that slices are made of, the slice of each sample.
  std::vector<std::span<const int32_t>> slices = {};
};

// A sample takes 24 bytes with classes and 16 with real values. It takes 8 more with its time, 12
// with probabilities, 8 for each score with its rank, 8 for each number that it contributes to a
// measure, and 4 for each column of slices. Beyond its budget the table keeps a subset of the
// samples, drawn by their keys. Its content depends on what was added, not on the order.
// Thread-compatible.
class OutcomeTable {
 public:
  static constexpr uint64_t kNoLimit = ~uint64_t{0};

  // At least 1,000 samples are kept, whatever `max_bytes` is. `limit` is the limit of another
  // table: then no sample is kept that the other would not have kept.
  explicit OutcomeTable(int64_t max_bytes, uint64_t limit = kNoLimit)
      : max_bytes_(max_bytes), limit_(limit) {}

  // Adds a block. All blocks must have the same columns, except contributions: once a block lacks
  // the contributions to a measure, the table lacks them, too.
  void Add(const OutcomeBlock& block);
  // Turns scores into ranks, and makes the views of contributions. Nothing may be added afterwards.
  void Seal();

  // Returns views of a sealed table. They are valid until the table changes.
  Outcomes outcomes() const;
  std::span<const int64_t> keys() const { return keys_; }
  std::span<const int64_t> times() const { return times_; }
  std::span<const int32_t> slices(size_t column) const { return slices_[column]; }

  // Returns a sealed table of these rows.
  OutcomeTable Select(std::span<const int32_t> rows) const;

  // Returns the columns, without slices: `key`, `event_time`, and what models said. FromBatch()
  // returns a sealed table of them. DATA_LOSS when they are not the columns of a table.
  batch::Batch ToBatch() const;
  static absl::StatusOr<OutcomeTable> FromBatch(const batch::Batch& columns);

  // Which of all keys are kept: those whose bits do not exceed it. Tables of the same samples keep
  // the same keys up to the lower limit.
  uint64_t limit() const { return limit_; }
  static bool IsWithin(int64_t key, uint64_t limit);

  int64_t num_bytes() const { return num_kept() * BytesEach(); }
  int64_t num_added() const { return num_added_; }
  int64_t num_kept() const { return static_cast<int64_t>(keys_.size()); }

 private:
  // The contributions to one measure.
  struct Contributed {
    std::string measure;
    size_t width = 1;
    std::vector<double> numbers = {};
  };

  // Keeps only the columns of contributions that the block also has.
  void MatchContributions(std::span<const Contributions> of_block);
  void Append(const OutcomeBlock& block, size_t row);
  int64_t BytesEach() const;
  bool IsOverBudget() const;
  // Drops about half of the samples.
  void Thin();
  OutcomeTable Pick(std::span<const int32_t> rows) const;

  int64_t max_bytes_;
  int64_t num_added_ = 0;
  uint64_t limit_ = kNoLimit;  // Samples with greater key bits are left out.
  std::vector<int64_t> keys_;
  std::vector<int64_t> times_;
  std::vector<int64_t> predicted_classes_;
  std::vector<int64_t> true_classes_;
  std::vector<float> predicted_values_;
  std::vector<float> true_values_;
  std::vector<float> true_probabilities_;
  std::vector<float> top_probabilities_;
  std::vector<int32_t> true_places_;
  std::vector<std::vector<float>> scores_;
  std::vector<std::vector<int32_t>> slices_;
  std::vector<Contributed> contributed_;
  std::vector<Contributions> contributions_;  // Views of the columns above.
  std::vector<int32_t> ranks_;
  int64_t num_ranks_ = 0;
};

}  // namespace tidemill::evaluator
