// A sweep as the supervisor has recorded its runs, for whoever did not run the command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_result.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Makes a sweep's result of its runs, also while it is in progress and after it was killed. Values
// and settings of which no run has been submitted are unknown. Thread-compatible.
class RecordedSweep {
 public:
  // `measure` is as in ValueOf().
  RecordedSweep(std::string name, std::string measure)
      : name_(std::move(name)), measure_(std::move(measure)) {}

  // Adds a run of the sweep, in any order.
  void Add(const supervisor::v1::GetRunResponse& run);

  // Returns the result of all runs that were added. FAILED_PRECONDITION when they are of one
  // setting with one seed: there is nothing to compare.
  absl::StatusOr<SweepResult> Finish() const;

 private:
  struct Recorded {
    int32_t place = 0;  // As the sweep has numbered it, from 1.
    size_t num_rungs = 1;
    Setting values = {};  // With the seed and the effort of its rung.
    SweepRun run = {};
  };

  std::vector<Recorded> InOrder() const;
  // How the settings were halved; std::nullopt when they were not.
  static std::optional<HalvingPlan> HalvingOf(const std::vector<Recorded>& runs);
  static std::vector<int64_t> SeedsOf(const std::vector<Recorded>& runs);
  // The keys, and their values in the order of the places.
  static std::vector<SweepAxis> AxesOf(const std::vector<Recorded>& runs,
                                       const std::vector<std::string>& without);

  const std::string name_;
  const std::string measure_;
  std::string pipeline_;
  std::vector<Recorded> runs_;
};

}  // namespace tidemill::cli
