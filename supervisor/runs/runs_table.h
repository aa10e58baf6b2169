// The rows of supervisor.pipelines, runs and run_events. The functions work in the caller's
// transaction. They throw what libpqxx throws; db::Database::Transact catches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/triggers/trigger_policy.h"
#include "tidemill/supervisor/v1/run_event.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// The schema of the service's tables.
inline constexpr char kSchema[] = "supervisor";

struct PipelineName {
  std::string name_space;
  std::string name;
};

// A run with everything that is needed to conduct it.
struct RunRow {
  RunId run_id;
  PipelineId pipeline_id;
  int64_t run_epoch = 0;
  std::string spec;           // The spec of its pipeline when it started.
  std::string pipeline_text;  // The same as its user wrote it.
  v1::Run summary;
};

struct EventRow {
  v1::WatchRunResponse::Event shown;
  v1::RunEvent event;
};

// Creates the pipeline, or updates the pipeline of that name with this description and spec.
PipelineId SavePipeline(pqxx::work& work, const PipelineName& name, const std::string& description,
                        const std::string& spec);
std::optional<v1::Pipeline> FindPipeline(pqxx::work& work, const PipelineName& name);
std::vector<v1::Pipeline> ListPipelines(pqxx::work& work, const std::string& name_space);
void DeletePipeline(pqxx::work& work, const PipelineName& name);

// Creates a run at epoch 1 without events.
RunId InsertRun(pqxx::work& work, PipelineId pipeline, const std::string& spec,
                const std::string& pipeline_text, bool is_trial = false);
// Notes the place of a run in a sweep, in which no other run of its pipeline is.
void PutIntoSweep(pqxx::work& work, RunId run, const v1::InSweep& place);
// Returns the run of a pipeline that has this place.
std::optional<RunRow> FindInSweep(pqxx::work& work, const PipelineName& name,
                                  const v1::InSweep& place);
// Makes a trial a run like others.
void Promote(pqxx::work& work, RunId run);
std::optional<RunRow> FindRun(pqxx::work& work, RunId run);
// Does the same, and locks the row until the transaction ends.
std::optional<RunRow> LockRun(pqxx::work& work, RunId run);
// Returns the newest run first. An empty name means all pipelines of the namespace.
std::vector<RunRow> ListRuns(pqxx::work& work, const PipelineName& name);
// Returns the runs that are RUNNING, the oldest first.
std::vector<RunId> UnfinishedRuns(pqxx::work& work);
void DeleteRun(pqxx::work& work, RunId run);
// Returns the digests of the stored files that pipelines and runs name.
std::vector<std::string> ListNamedFiles(pqxx::work& work);

// Begins a new epoch of the run and returns it. The owner of the last epoch cannot write any more.
// NOT_FOUND when the run is unknown.
absl::StatusOr<int64_t> TakeOver(pqxx::work& work, RunId run);

// Keeps the epoch from ending before the transaction does. FAILED_PRECONDITION when it is not the
// run's epoch.
absl::Status HoldEpoch(pqxx::work& work, RunId run, int64_t run_epoch);

// The place of an event: its number in the run, from 1, and the epoch of its writer.
struct EventPlace {
  RunId run;
  int64_t run_epoch = 0;
  int64_t sequence = 0;
};

// Appends the event and updates the run's row to `after`, the state with the event applied. Does
// nothing when an event of the same kind is at that place already, because a commit whose answer
// was lost is repeated. FAILED_PRECONDITION when the epoch is not the run's, or when the position
// already has another event.
absl::StatusOr<EventRow> AppendEvent(pqxx::work& work, const EventPlace& place,
                                     const v1::RunEvent& event, const RunState& after);

// Returns the cost of the last completed trainings of a pipeline, the oldest first, with the number
// of selected samples.
std::vector<TrainingCost> CompletedTrainings(pqxx::work& work, const PipelineName& name,
                                             int64_t most);

// Returns all events in order. DATA_LOSS when one does not parse.
absl::StatusOr<std::vector<EventRow>> ReadEvents(pqxx::work& work, RunId run);

}  // namespace tidemill::supervisor
