// The rows of supervisor.pipelines, runs and run_events. Functions work inside the caller's
// transaction and throw what libpqxx throws, which db::Database::Transact catches.
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

// Where the service's tables stand.
inline constexpr char kSchema[] = "supervisor";

struct PipelineName {
  std::string name_space;
  std::string name;
};

// A run with what is needed to conduct it.
struct RunRow {
  RunId run_id;
  int64_t run_epoch = 0;
  std::string spec;           // Of its pipeline when it started.
  std::string pipeline_text;  // The same as its user wrote it.
  v1::Run summary;
};

struct EventRow {
  v1::WatchRunResponse::Event shown;
  v1::RunEvent event;
};

// Creates the pipeline, or gives the one of that name this description and spec.
PipelineId SavePipeline(pqxx::work& work, const PipelineName& name, const std::string& description,
                        const std::string& spec);
std::optional<v1::Pipeline> FindPipeline(pqxx::work& work, const PipelineName& name);
std::vector<v1::Pipeline> ListPipelines(pqxx::work& work, const std::string& name_space);
void DeletePipeline(pqxx::work& work, const PipelineName& name);

// Creates a run at epoch 1 with no event.
RunId InsertRun(pqxx::work& work, PipelineId pipeline, const std::string& spec,
                const std::string& pipeline_text);
std::optional<RunRow> FindRun(pqxx::work& work, RunId run);
// The same, and nobody else changes the row before the transaction ends.
std::optional<RunRow> LockRun(pqxx::work& work, RunId run);
// The newest first; an empty name stands for all pipelines of the namespace.
std::vector<RunRow> ListRuns(pqxx::work& work, const PipelineName& name);
// The runs that are RUNNING, the oldest first.
std::vector<RunId> UnfinishedRuns(pqxx::work& work);
void DeleteRun(pqxx::work& work, RunId run);
// The digests of the kept files that pipelines and runs name.
std::vector<std::string> ListNamedFiles(pqxx::work& work);

// Begins a new epoch of the run, which ends the writing of whoever held the last, and returns it.
// NOT_FOUND for an unknown run.
absl::StatusOr<int64_t> TakeOver(pqxx::work& work, RunId run);

// Keeps the epoch from ending before the transaction does. FAILED_PRECONDITION when it is not the
// run's.
absl::Status HoldEpoch(pqxx::work& work, RunId run, int64_t run_epoch);

// Where an event goes: its place in the run, from 1, and the epoch of whoever writes it.
struct EventPlace {
  RunId run;
  int64_t run_epoch = 0;
  int64_t sequence = 0;
};

// Appends the event and brings the run's row to `after`, the state with the event applied. Does
// nothing where an event of the same kind stands at that place: a commit whose answer was lost is
// made again. FAILED_PRECONDITION when the epoch is not the run's or another event stands there.
absl::StatusOr<EventRow> AppendEvent(pqxx::work& work, const EventPlace& place,
                                     const v1::RunEvent& event, const RunState& after);

// What the last completed trainings of a pipeline took, the oldest first, by how many samples were
// selected.
std::vector<TrainingCost> CompletedTrainings(pqxx::work& work, const PipelineName& name,
                                             int64_t most);

// All events in order. DATA_LOSS for one that does not parse.
absl::StatusOr<std::vector<EventRow>> ReadEvents(pqxx::work& work, RunId run);

}  // namespace tidemill::supervisor
