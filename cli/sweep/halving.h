// Successive halving: all settings are tried with little effort, the better half again with twice
// the effort, and so on (Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", 2016). The functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemill::cli {

// One round: this many settings with this effort, in triggers or epochs.
struct Rung {
  std::optional<int64_t> effort = std::nullopt;  // Absent: all of the pipeline.
  size_t num_settings = 0;

  friend bool operator==(const Rung&, const Rung&) = default;
};

// Returns the rungs for this many settings. The first has `first` effort, each one after it twice
// as much and half as many settings, rounded down. The last one has the whole effort: of one
// setting, or of those that remain when the effort reaches `most`. Without `most` it is unknown,
// and only one setting is run with all of it. `first` is at least 1.
std::vector<Rung> RungsOf(size_t num_settings, int64_t first, std::optional<int64_t> most);

// Returns the first effort with which the settings can be halved until one remains: `most` divided
// by two for each halving, at least 1.
int64_t FirstEffort(size_t num_settings, int64_t most);

// A setting at a rung: its value, and its place among all, from 1.
struct Ranked {
  size_t setting = 0;
  std::optional<double> value = std::nullopt;
};

// Orders settings by value, the best first. Equal values keep their order. Settings
// without a value come last: their runs have failed, or nothing was measured.
std::vector<Ranked> Rank(std::span<const Ranked> settings, bool lower_is_better);

// Returns the settings that reach the next rung, in ascending order: the first `keep` of Rank()
// that have a value.
std::vector<size_t> Survivors(std::span<const Ranked> settings, bool lower_is_better, size_t keep);

}  // namespace tidemill::cli
