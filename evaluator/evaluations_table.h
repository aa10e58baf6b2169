// The rows of the evaluator. SQL only; see migrations/0001_evaluations.sql.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/evaluator/v1/job.pb.h"
#include <pqxx/pqxx>

namespace tidemill::evaluator {

// Names one evaluation of a run.
struct JobKey {
  RunId run;
  int32_t evaluation = 0;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

enum class JobState { kUnfinished, kDone, kFailed };

// What is known of a job besides its request.
struct JobRow {
  JobState state = JobState::kUnfinished;
  std::string error;
  double seconds = 0;
  int64_t windows_total = 0;
  int64_t windows_done = 0;
  int64_t samples_done = 0;
};

// What was lost in a job.
struct Losses {
  // "model 3: ...", one for each model and reason.
  std::vector<std::string> reasons;
  // Some value, or some window without samples, was measured in spite of them.
  bool some_measured = false;
};

// Functions of a transaction that is open; they throw pqxx exceptions, which end at
// db::Database::Transact.
class EvaluationsTable {
 public:
  explicit EvaluationsTable(pqxx::work& work) : work_(work) {}

  // Locks the row, if there is one, until the transaction ends.
  std::optional<JobRow> FindJob(const JobKey& job);
  void InsertJob(const JobKey& job, const v1::StartEvaluationRequest& request);
  std::vector<JobKey> UnfinishedJobs();
  // Deletes the windows in which something failed and makes the job unfinished.
  void Reopen(const JobKey& job);
  void Finish(const JobKey& job, JobState state, const std::string& error);
  void AddSeconds(const JobKey& job, double seconds);

  std::optional<v1::StartEvaluationRequest> Request(const JobKey& job);
  // Indices of the windows measured, ascending.
  std::vector<int64_t> MeasuredWindows(const JobKey& job);

  // Inserts a window with what was measured in it; false, without effect, when it was there.
  bool InsertWindow(const JobKey& job, const v1::JobWindow& window,
                    std::span<const v1::ModelScores> scores);
  Losses FindLosses(const JobKey& job);

  // In the order (evaluation, model, window, measure, slice).
  std::vector<v1::Evaluation> List(RunId run);

  // Returns the number of jobs that were there.
  int64_t DeleteRun(RunId run);

 private:
  void InsertScores(const JobKey& job, int64_t window_index, const v1::ModelScores& model);

  pqxx::work& work_;
};

}  // namespace tidemill::evaluator
