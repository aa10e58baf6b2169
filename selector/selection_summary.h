// What there is to say about a selection: counted exactly, in two passes over the candidates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "selector/columns/training_set_file.h"
#include "selector/histograms.h"
#include "selector/policies/chooser.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Counts candidates as they come, then what was chosen of them. Thread-compatible.
class SummaryCounter {
 public:
  // The first pass.
  void AddCandidates(const Candidates& candidates);

  // The second pass goes through the same candidates again and finds the entries of the set among
  // them, which is in the same order; where everything was chosen there is none.
  class SecondPass {
   public:
    SecondPass(SummaryCounter& counter, const TrainingSetWriter& entries)
        : counter_(counter), entries_(entries) {}
    absl::Status Add(const Candidates& candidates);
    // UNAVAILABLE when an entry was not among the candidates.
    absl::Status Finish() const;

   private:
    // False at the end of the entries.
    absl::StatusOr<bool> Load();

    SummaryCounter& counter_;
    const TrainingSetWriter& entries_;
    int64_t num_loaded_ = 0;
    std::vector<int64_t> keys_;
    size_t next_ = 0;
  };

  int64_t num_candidates() const { return num_candidates_; }
  // Classes and times. After the second pass, or `all_chosen`.
  void Fill(bool all_chosen, v1::SelectionSummary& summary) const;

 private:
  int64_t num_candidates_ = 0;
  ClassCounts candidates_;
  ClassCounts chosen_;
  // Of candidates and of chosen ones.
  TimeCounts times_ = TimeCounts(2);
};

// (sum w)^2 / sum w^2 of the entries of a set.
absl::StatusOr<double> EffectiveSize(const TrainingSetWriter& entries);

// Calls `body` with the keys of a set, piece by piece.
absl::Status ForEachEntry(const TrainingSetWriter& entries,
                          const std::function<void(std::span<const int64_t>)>& body);

}  // namespace tidemill::selector
