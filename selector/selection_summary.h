// Summarises a selection. The numbers are exact; they take two passes over the candidates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "selector/choosing/chooser.h"
#include "selector/columns/training_set_file.h"
#include "selector/histograms.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Counts the candidates as they come, and then the chosen ones. Thread-compatible.
class SummaryCounter {
 public:
  // Counts candidates in the first pass.
  void AddCandidates(const Candidates& candidates);

  // The second pass reads the same candidates again and finds the entries of the set among them.
  // Both are in the same order. When everything was chosen, there is no second pass.
  class SecondPass {
   public:
    SecondPass(SummaryCounter& counter, const TrainingSetWriter& entries)
        : counter_(counter), entries_(entries) {}
    absl::Status Add(const Candidates& candidates);
    // UNAVAILABLE when an entry is not among the candidates.
    absl::Status Finish() const;

   private:
    // Returns false at the end of the entries.
    absl::StatusOr<bool> Load();

    SummaryCounter& counter_;
    const TrainingSetWriter& entries_;
    int64_t num_loaded_ = 0;
    std::vector<int64_t> keys_;
    size_t next_ = 0;
  };

  int64_t num_candidates() const { return num_candidates_; }
  // Fills in classes and times. Call it after the second pass, or with `all_chosen`.
  void Fill(bool all_chosen, v1::SelectionSummary& summary) const;

 private:
  int64_t num_candidates_ = 0;
  ClassCounts candidates_;
  ClassCounts chosen_;
  // The candidates and the chosen samples.
  TimeCounts times_ = TimeCounts(2);
};

// Returns (sum w)^2 / sum w^2 over the weights w of a set.
absl::StatusOr<double> EffectiveSize(const TrainingSetWriter& entries);

// Calls `body` with the keys of a set, piece by piece.
absl::Status ForEachEntry(const TrainingSetWriter& entries,
                          const std::function<void(std::span<const int64_t>)>& body);

}  // namespace tidemill::selector
