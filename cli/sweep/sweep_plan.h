// What a sweep tries: every choice of one value for each key that is swept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/documents/source.h"

namespace tidemill::cli {

// The most settings of a sweep, seeds counted.
inline constexpr size_t kMaxSettings = 256;

// The key over which `--seeds` sweeps.
inline constexpr char kSeedKey[] = "training.seed";

// A key and the values that it takes, as YAML.
struct SweepAxis {
  std::string key = {};
  std::vector<std::string> values = {};
};

// Splits "1e-3,1e-2" at its commas. A comma within brackets, braces or quotes separates nothing:
// "[32, 32],[64]" has two values. INVALID_ARGUMENT for an empty value, a value that is there twice,
// and brackets or quotes that are not closed.
absl::StatusOr<std::vector<std::string>> SplitValues(std::string_view text);

// Returns the axes of the texts of `--set`, each KEY=VALUES, in their order. INVALID_ARGUMENT as in
// SplitValues(), and for a key that is there twice.
absl::StatusOr<std::vector<SweepAxis>> AxesOf(const std::vector<std::string>& texts);

// One choice: a value for each axis.
using Setting = std::vector<config::Override>;

// The settings of a sweep, and the seeds with which each is run.
//
// A place is a setting with a seed, numbered from 0: all settings with the first seed come first,
// because trainings that run at the same time with one seed share their batches. Thread-compatible.
class SweepPlan {
 public:
  // Every choice, the values of the last axis changing fastest. Without seeds, runs have that of
  // their pipeline. INVALID_ARGUMENT when there are fewer than two or more than kMaxSettings
  // places, and when the seed is swept by both.
  static absl::StatusOr<SweepPlan> Make(std::vector<SweepAxis> axes, std::vector<int64_t> seeds);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  const std::vector<Setting>& settings() const { return settings_; }
  // Empty without `--seeds`.
  const std::vector<int64_t>& seeds() const { return seeds_; }
  size_t num_places() const { return settings_.size() * num_seeds(); }
  size_t num_seeds() const { return seeds_.empty() ? 1 : seeds_.size(); }

  size_t PlaceOf(size_t setting, size_t seed) const { return seed * settings_.size() + setting; }
  size_t SettingAt(size_t place) const { return place % settings_.size(); }
  // The values of a place, its seed included.
  Setting ValuesAt(size_t place) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<int64_t> seeds_;
  std::vector<Setting> settings_;
};

// "training.optimizer.lr=1e-3 training.batch_size=32", without the axes of one value, which all
// settings share.
std::string TextOf(const SweepPlan& plan, const Setting& setting);

}  // namespace tidemill::cli
