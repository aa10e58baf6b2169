// Reads what a user wants to sweep, checks it, and makes the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/stack/session.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_result.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {

// The command line.
struct SweepRequest {
  std::string file = {};
  std::vector<std::string> set = {};
  int64_t num_seeds = 0;  // 0: not swept.
  bool halving = false;
  int64_t first_rung = 0;  // 0: chosen by FirstEffort().
  std::string measure = {};
  int64_t max_triggers = 0;
};

// A sweep of which every setting is a valid pipeline.
struct SweepSetup {
  PipelineFile file;
  SweepPlan plan;
  std::vector<supervisor::DiskFiles> files = {};  // By setting.
  supervisor::PipelineSpec first = {};            // The pipeline of the first setting.
  std::string fingerprint = {};                   // The digest of all pipelines.
  config::Problems warnings = {};                 // The warnings about the first pipeline.
};

// Either a setup, or what is wrong: `problems` with places in the file, or a status.
struct SetupOrProblems {
  std::optional<SweepSetup> setup = std::nullopt;
  config::Problems problems = {};
  absl::Status status = {};
};
SetupOrProblems SetUpSweep(const SweepRequest& request, bool remote);

// Returns how the settings are halved: by triggers where the pipeline fires several, else by
// epochs. How many it fires is found as `tidemill backtest` finds it, without trainings.
// FAILED_PRECONDITION where that cannot be known and `first_rung` is not given. INVALID_ARGUMENT,
// with the place in the file, where halving would do nothing.
absl::StatusOr<HalvingPlan> PlanHalving(const Session& session, const SweepRequest& request,
                                        const SweepSetup& setup);

// Returns the name of the sweep: of the pipeline, and of all that decides its runs. The same
// command for the same pipeline has the same name. `generation` counts from 1 (`--new`).
std::string NameOfSweep(const SweepRequest& request, const SweepSetup& setup, int generation);

}  // namespace tidemill::cli
