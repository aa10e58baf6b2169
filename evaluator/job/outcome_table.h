// The outcomes of one model on one window, kept for what needs all of them at once: measures of
// ranks, slices, intervals. Column by column, in bounded memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// Samples to add, with their columns.
struct OutcomeBlock {
  std::span<const int64_t> keys = {};
  Outcomes outcomes = {};
  // For measures of ranks: a probability of each sample for each class, one class behind the other,
  // of two classes only those of class 1.
  std::span<const float> scores = {};
  // The slice that each sample belongs to, for each column that slices are made of.
  std::vector<std::span<const int32_t>> slices = {};
};

// A sample takes 24 bytes with classes and 16 with real values, 12 more with probabilities, 8 for
// each score with its rank and 4 for each column of slices. Beyond its budget it keeps a sample of
// the samples, drawn by their keys: what it holds depends on what was added and not on the order.
// Thread-compatible.
class OutcomeTable {
 public:
  // At least 1,000 samples are kept whatever `max_bytes` says.
  explicit OutcomeTable(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Blocks have the same columns.
  void Add(const OutcomeBlock& block);
  // Turns scores into ranks; nothing may be added after it.
  void Seal();

  // Of a sealed table; views that live as long as it is not changed.
  Outcomes outcomes() const;
  std::span<const int64_t> keys() const { return keys_; }
  std::span<const int32_t> slices(size_t column) const { return slices_[column]; }

  // A sealed table of these rows.
  OutcomeTable Select(std::span<const int32_t> rows) const;

  int64_t num_added() const { return num_added_; }
  int64_t num_kept() const { return static_cast<int64_t>(keys_.size()); }

 private:
  void Append(const OutcomeBlock& block, size_t row);
  bool IsOverBudget() const;
  // Drops about half of the samples.
  void Thin();
  OutcomeTable Pick(std::span<const int32_t> rows) const;

  int64_t max_bytes_;
  int64_t num_added_ = 0;
  uint64_t limit_ = ~uint64_t{0};  // Samples whose key has more bits are left out.
  std::vector<int64_t> keys_;
  std::vector<int64_t> predicted_classes_;
  std::vector<int64_t> true_classes_;
  std::vector<float> predicted_values_;
  std::vector<float> true_values_;
  std::vector<float> true_probabilities_;
  std::vector<float> top_probabilities_;
  std::vector<int32_t> true_places_;
  std::vector<std::vector<float>> scores_;
  std::vector<std::vector<int32_t>> slices_;
  std::vector<int32_t> ranks_;
  int64_t num_ranks_ = 0;
};

}  // namespace tidemill::evaluator
