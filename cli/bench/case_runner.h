// Measures one case of the suite on a stack.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "cli/bench/bench_case.h"
#include "cli/stack/session.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whose stack the cases run on.
enum class BenchStack {
  kOwn,    // The suite's. A dataset whose spec has changed since is registered again.
  kUsers,  // One that a user has named. What differs from a dataset of the user is refused.
};

// Runs the cases of one folder. Thread-compatible.
class CaseRunner {
 public:
  // `session` must outlive this object. Pipelines and prepared data are kept below `work_folder`.
  CaseRunner(const Session& session, BenchStack stack, std::string work_folder)
      : session_(session), stack_(stack), work_folder_(std::move(work_folder)) {}

  // Returns {"figures", "policies" (of a sweep), "failed" (policies that could not be tried)}, or
  // {"run"} of a comparison. A run of the same pipeline that is in progress is followed, and one
  // that has succeeded is used, so a command that was killed can be repeated. CANCELLED when the
  // user has detached. Call Forget() once the result is stored.
  absl::StatusOr<nlohmann::ordered_json> Measure(const BenchCase& one) const;

  // Deletes the runs of the case, and its pipeline.
  absl::Status Forget(const BenchCase& one) const;

 private:
  // FAILED_PRECONDITION, once the run is forgotten, when it lacks files of its datasets.
  absl::Status CheckAllTaken(const BenchCase& one, const supervisor::v1::GetRunResponse& run) const;
  absl::StatusOr<int64_t> RunToEnd(const BenchCase& one, const NamedPipeline& pipeline) const;

  const Session& session_;
  const BenchStack stack_;
  const std::string work_folder_;
};

}  // namespace tidemill::cli
