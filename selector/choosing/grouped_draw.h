// A uniform draw of several groups at once, with a different number of samples from each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"
#include "selector/choosing/chooser.h"
#include "selector/choosing/lots.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/key_column.h"
#include "selector/columns/training_set_file.h"

namespace tidemill::selector {

// How many samples to draw.
struct GroupQuotas {
  // The number for each group, at most as many as the group has.
  std::vector<int64_t> quotas;
  // The weight of each group's samples; an empty list means 1 each.
  std::vector<double> weights = {};
  // The drawn keys of `noted_group` are added to `noted`, when it is set.
  ChosenKeys* noted = nullptr;
  int64_t noted_group = 0;
};

// Takes the candidates of all groups in the order of the stream. Then draws, in each group, the
// samples with the smallest lots (lots.h). Candidates wait in memory up to the budget of the
// workplace, and beyond it in a file. Thread-compatible.
class GroupedDraw {
 public:
  // `most_of_a_group` says that no quota will be greater. Candidates that cannot be drawn any more
  // are then dropped at once.
  GroupedDraw(const RandomKey& random, const Workplace& workplace,
              std::optional<int64_t> most_of_a_group = std::nullopt);

  // Adds candidates. groups[i] is the group of keys[i], from 0 on.
  absl::Status Add(std::span<const int64_t> keys, std::span<const int64_t> groups);
  // The number of candidates in each group, for all groups seen.
  std::span<const int64_t> counts() const { return counts_; }
  int64_t num_candidates() const { return num_candidates_; }

  // Call it after the last candidate. Writes the drawn samples in the order of the stream. `into`
  // must not be open yet.
  absl::Status Draw(const GroupQuotas& quotas, TrainingSetWriter& into);

 private:
  // The bounds of the last lot drawn from a group; see Draw().
  struct Band {
    Lot from;
    Lot to;
    std::vector<Lot> lots = {};
    int64_t below = 0;
  };

  void Count(std::span<const int64_t> groups);
  // Returns the greatest lot that is drawn from each group.
  absl::StatusOr<std::vector<Lot>> LastLots(std::span<const int64_t> quotas) const;
  absl::Status FindIn(std::vector<Band>& bands, size_t first_group, std::span<const int64_t> quotas,
                      std::vector<Lot>& last) const;
  // Calls body(key, group, lot) for every candidate in memory or in the file.
  template <typename Body>
  absl::Status ForEach(Body&& body) const;

  const RandomKey random_;
  const int64_t memory_budget_;
  const std::optional<int64_t> most_of_a_group_;
  int64_t num_candidates_ = 0;
  std::vector<int64_t> counts_;
  // For each group, the bound above which a lot cannot be drawn any more, and how many candidates
  // the group had when the bound was set.
  std::vector<Lot> bounds_;
  std::vector<int64_t> bounded_at_;
  // Keys and groups, alternating.
  KeyColumn kept_;
};

}  // namespace tidemill::selector
