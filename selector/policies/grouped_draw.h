// A uniform draw of a different number of samples from each of several groups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "selector/columns/chosen_keys.h"
#include "selector/columns/key_column.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/chooser.h"
#include "selector/policies/lots.h"

namespace tidemill::selector {

// How many a draw takes.
struct GroupQuotas {
  // Of each group, at most as many as it has.
  std::vector<int64_t> quotas;
  // The weight of each group's samples; empty: 1 each.
  std::vector<double> weights = {};
  // Where the drawn keys of `noted_group` are added, when it is there.
  ChosenKeys* noted = nullptr;
  int64_t noted_group = 0;
};

// Takes the candidates of all groups in the order of the stream, then draws those with the smallest
// lots (lots.h) of each group. Candidates wait in memory up to the budget of the workplace, beyond
// it in a file. Thread-compatible.
class GroupedDraw {
 public:
  // `most_of_a_group`: no quota will be greater, so that candidates that cannot be drawn any more
  // are dropped at once.
  GroupedDraw(const RandomKey& random, const Workplace& workplace,
              std::optional<int64_t> most_of_a_group = std::nullopt);

  // groups[i] is the group of keys[i], from 0 on.
  absl::Status Add(std::span<const int64_t> keys, std::span<const int64_t> groups);
  // How many candidates each group has, for as many groups as there are.
  std::span<const int64_t> counts() const { return counts_; }
  int64_t num_candidates() const { return num_candidates_; }

  // After the last candidate: writes the drawn ones in the order of the stream. `into` is not yet
  // open.
  absl::Status Draw(const GroupQuotas& quotas, TrainingSetWriter& into);

 private:
  // What at least and at most the last lot drawn of a group is; see Draw().
  struct Band {
    Lot from;
    Lot to;
    std::vector<Lot> lots = {};
    int64_t below = 0;
  };

  void Count(std::span<const int64_t> groups);
  // The greatest lot that is drawn of each group.
  absl::StatusOr<std::vector<Lot>> LastLots(std::span<const int64_t> quotas) const;
  absl::Status FindIn(std::vector<Band>& bands, size_t first_group, std::span<const int64_t> quotas,
                      std::vector<Lot>& last) const;
  // Calls body(key, group, lot) for all candidates held.
  template <typename Body>
  absl::Status ForEach(Body&& body) const;

  const RandomKey random_;
  const int64_t memory_budget_;
  const std::optional<int64_t> most_of_a_group_;
  int64_t num_candidates_ = 0;
  std::vector<int64_t> counts_;
  // Above which a lot of the group is out, and how many candidates the group had then.
  std::vector<Lot> bounds_;
  std::vector<int64_t> bounded_at_;
  // Keys and groups in turns.
  KeyColumn kept_;
};

}  // namespace tidemill::selector
