// Runs and models by the names that users write in commands.
//
//   12              run 12, or model 12; they are counted from 1
//   latest          the newest run, or the newest model that is kept
//   latest:elec2    the newest run of the pipeline elec2, or the model that it has in use
//   elec2           the same
//   elec2/3         trigger 3 of that run, or the model of that trigger
//
// A number always means a run or a model, even where a pipeline has that name: `latest:12` means
// the pipeline. NOT_FOUND for an unknown name proposes a similar one or lists the pipelines.
// INVALID_ARGUMENT for a text that cannot be a name. FAILED_PRECONDITION for `latest` where a
// pipeline is called so: `latest:latest` means the pipeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "cli/stack/session.h"
#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::cli {

// The meaning of an argument that names a run, or a model, for help.
inline constexpr char kRunMeaning[] =
    "A run: its number, latest, latest:PIPELINE, or a pipeline's name for its newest run";
inline constexpr char kModelMeaning[] =
    "A model: its number, RUN/TRIGGER, latest, or a pipeline's name for its model in use";

// Returns the run that the name means. Unless the session is quiet, says on stderr which that is
// when the name is not its number.
absl::StatusOr<RunId> FindRun(const Session& session, const std::string& name);

// The same for several runs, in this order.
absl::StatusOr<std::vector<int64_t>> FindRuns(const Session& session,
                                              const std::vector<std::string>& names);

struct RunTrigger {
  int64_t run = 0;
  std::optional<int64_t> trigger = std::nullopt;
};

// Does the same for a run, or a trigger of a run such as "elec2/3".
absl::StatusOr<RunTrigger> FindRunTrigger(const Session& session, const std::string& name);

// Does the same for a trigger of a run, which the name must contain.
absl::StatusOr<RunTrigger> FindTrigger(const Session& session, const std::string& name);

struct NamedModel {
  ModelId id;
  // For the name of a pipeline: since when and why it has the model in use.
  std::optional<supervisor::v1::ModelChange> in_use = std::nullopt;
};

// Returns the model that the name means, and says which that is as FindRun() does.
absl::StatusOr<NamedModel> FindModel(const Session& session, const std::string& name);

// Returns the name of the pipeline that the text means: `elec2`, `latest:elec2`, or `latest` for
// that of the newest run.
absl::StatusOr<std::string> FindPipeline(const Session& session, const std::string& name);

}  // namespace tidemill::cli
