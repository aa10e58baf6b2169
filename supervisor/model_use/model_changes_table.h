// The rows of supervisor.model_changes and retirements, and the view of models that are kept. The
// functions work in the caller's transaction. They throw what libpqxx throws;
// db::Database::Transact catches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "tidemill/supervisor/v1/model_use.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// A model whose weights exist.
struct KeptModel {
  PipelineId pipeline;
  RunId run;
  int64_t trigger = 0;
  int64_t model_id = 0;
  bool is_trial = false;
};

// A change, and where a rollback goes after it.
struct ModelChangeRow {
  v1::ModelChange change;
  int64_t since = 0;  // The number of the change that put the model there.
  std::optional<int64_t> before = std::nullopt;  // The number of the change to go back to.
};

// Keeps changes of the pipeline from other transactions until this one ends.
void LockModelUse(pqxx::work& work, PipelineId pipeline);

// Returns the pipeline of that name; std::nullopt when it is unknown.
std::optional<PipelineId> FindPipelineId(pqxx::work& work, const std::string& name_space,
                                         const std::string& name);

// Returns the last change, the change of a number, or the change that a training has caused.
std::optional<ModelChangeRow> LastModelChange(pqxx::work& work, PipelineId pipeline);
std::optional<ModelChangeRow> FindModelChange(pqxx::work& work, PipelineId pipeline,
                                              int64_t number);
bool IsDecided(pqxx::work& work, RunId run, int64_t trigger);
// Returns changes, the newest first: of a pipeline, or those that a run has caused; 0 for all.
std::vector<v1::ModelChange> ListModelChanges(pqxx::work& work, PipelineId pipeline, RunId run,
                                              int64_t limit);
int64_t CountModelChanges(pqxx::work& work, PipelineId pipeline, RunId run);

// Appends the change after the last one, and gives it its number and time. `since` of 0 means the
// change itself. Returns it as a later reader sees it.
v1::ModelChange AddModelChange(pqxx::work& work, PipelineId pipeline, const ModelChangeRow& row);

// Returns the model if its weights exist.
std::optional<KeptModel> FindKeptModel(pqxx::work& work, int64_t model_id);
// Returns the newest model of a run whose weights exist.
std::optional<KeptModel> NewestKeptModel(pqxx::work& work, RunId run);
// Returns the newest run after this one, trials left out, that has a model whose weights exist.
std::optional<RunId> NewerRunWithModel(pqxx::work& work, PipelineId pipeline, RunId run);

// From now on, only the models of the run from `first_model` on, and those of the triggers `kept`,
// count as kept. A model that does not count never does again.
void RetireModels(pqxx::work& work, RunId run, int64_t first_model,
                  const std::vector<int64_t>& kept);

}  // namespace tidemill::supervisor
