// Runs the settings of a sweep on a stack, side by side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/stack/session.h"
#include "cli/sweep/sweep_progress.h"
#include "cli/sweep/sweep_result.h"

namespace tidemill::cli {

struct SweepOptions {
  // Without the values of a setting.
  PipelineFile file;
  // By setting: the files that its pipeline names.
  std::vector<supervisor::DiskFiles> files = {};
  // In SweepValue; empty for the first measure that has a value.
  std::string measure = {};
  int64_t max_triggers = 0;  // 0: no limit.
  size_t parallel = 1;
};

// Makes one run for each place of the plan and each rung that the place reaches. The supervisor
// keeps the runs under their places, so the runs of an earlier command that was killed are found:
// finished ones are taken, others are waited for, stopped and failed ones continue.
//
// A run is InSweep{sweep, place + 1, rung + 1}. A setting that is measured with growing effort has
// a run for each rung; it takes the models of the trainings that it has made at the rung before.
// Thread-compatible.
class SweepRunner {
 public:
  // `session`, `progress` and `result`, which has its plan, its name and its rungs, must outlive
  // this object.
  SweepRunner(const Session& session, SweepOptions options, SweepProgress& progress,
              SweepResult& result);

  // Runs all rungs. A setting that fails costs itself only. CANCELLED after Ctrl-C: what was
  // running is then stopped, and continues when the sweep is run again. Another error when the
  // stack cannot be reached; its runs continue.
  absl::Status Run();

 private:
  using Job = SweepRun*;

  absl::Status FindKnown();
  // Runs settings at a rung until all have ended.
  absl::Status RunRung(size_t rung, const std::vector<size_t>& settings);
  std::vector<Job> JobsOf(size_t rung, const std::vector<size_t>& settings);
  absl::Status RunJobs(const std::vector<Job>& jobs);
  // Submits a run, or continues the one that has its place.
  absl::Status Start(SweepRun& run);
  absl::Status Submit(SweepRun& run);
  // Notes what the supervisor reports about runs that have started.
  absl::Status Look(const std::vector<Job>& jobs);
  absl::Status End(SweepRun& run);
  // Stops what runs.
  absl::Status Interrupt(const std::vector<Job>& jobs);
  void Show(const std::vector<Job>& jobs);
  void SayEnd(const SweepRun& run);
  // Decides the fate of settings whose runs at a rung have ended. Returns those that reach the
  // next.
  std::vector<size_t> Settle(size_t rung, const std::vector<size_t>& settings);
  config::Override EffortOf(size_t rung) const;
  std::string TextOfPlace(size_t place) const;
  size_t NumRungs() const { return result_.halving ? result_.halving->rungs.size() : 1; }
  bool HasEnded(const SweepRun& run) const;

  const Session& session_;
  const SweepOptions options_;
  SweepProgress& progress_;
  SweepResult& result_;
  // By place and rung, from 1.
  std::map<std::pair<int32_t, int32_t>, supervisor::v1::Run> known_;
  std::string best_;  // So far, in words.
  std::optional<double> best_value_;
};

}  // namespace tidemill::cli
