// Decides which model a pipeline has in use. Every decision is a row of supervisor.model_changes,
// and the newest row says what is in use:
//
//   a model is trained ------.
//   a model is found better --+--> the rule --> a change --> predict, models export
//   a user asks --------------'
//
// The functions work in the caller's transaction. They throw what libpqxx throws;
// db::Database::Transact catches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "supervisor/model_use/model_changes_table.h"
#include "tidemill/supervisor/v1/model_use.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// A model that a run has just stored.
struct TrainedModel {
  PipelineId pipeline;
  RunId run;
  int64_t trigger = 0;
  int64_t model_id = 0;
  // Whether it must first be found better than the model in use (`promote: {when: better}`).
  bool must_be_better = false;
};

bool IsTrial(pqxx::work& work, RunId run);

// Puts a model to use that was trained, unless
// - its run is a trial, or it must first be found better than one that is in use: then nothing is
//   recorded;
// - the model in use is pinned, or a newer run has a model: then the change says that it stays.
// A training is decided on once; a repeated call does nothing.
void NoteTrained(pqxx::work& work, const TrainedModel& trained);

// The answer about a model that must be better than the one in use.
struct JudgedModel {
  TrainedModel model;
  int64_t champion = 0;  // The model in use that it was compared with.
  bool is_better = false;
  std::string text;  // Why, for people.
  std::optional<v1::ModelComparison> comparison = std::nullopt;
};

// Puts the model to use if it is better. Otherwise, and when the champion is not in use any more or
// is pinned now, records that the model in use stays. Does nothing for a trial. A training is
// decided on once.
void NoteJudged(pqxx::work& work, const JudgedModel& judged);

// Gives the pipeline the newest model of a run that is no longer a trial. Does nothing when the
// model in use is pinned, or is of a newer run, or is the same.
void NotePromoted(pqxx::work& work, PipelineId pipeline, RunId run);

// Returns the change that says what the pipeline has in use; std::nullopt when it has no model.
std::optional<v1::ModelChange> FindModelInUse(pqxx::work& work, PipelineId pipeline);

// The requests of users; see model_use.proto for the errors.
absl::StatusOr<v1::ModelChange> UseModel(pqxx::work& work, int64_t model_id, bool pin);
absl::StatusOr<v1::ModelChange> UnpinModel(pqxx::work& work, PipelineId pipeline);
absl::StatusOr<v1::ModelChange> UseNoModel(pqxx::work& work, PipelineId pipeline);
absl::StatusOr<v1::RollBackModelResponse> RollBackModel(pqxx::work& work, PipelineId pipeline,
                                                        bool pin);

// Returns the triggers of the run whose models retention must keep: that of the model in use, and
// that of the one to which a rollback would go.
std::vector<int64_t> TriggersInUse(pqxx::work& work, PipelineId pipeline, RunId run);

// FAILED_PRECONDITION, with what to do, when the pipeline has a model in use, of any of its runs or
// of `run`.
absl::Status CheckNotInUse(pqxx::work& work, PipelineId pipeline, std::optional<RunId> run);

}  // namespace tidemill::supervisor
