// The rows of the evaluator. It holds SQL only; see migrations/0001_evaluations.sql.
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
#include "tidemill/rpc/v1/measure_fault.pb.h"
#include "tidemill/rpc/v1/usage.pb.h"
#include <pqxx/pqxx>

namespace tidemill::evaluator {

// Identifies one evaluation of a run.
struct JobKey {
  RunId run;
  int32_t evaluation = 0;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

enum class JobState { kUnfinished, kDone, kFailed };

// The state of a job, without its request.
struct JobRow {
  JobState state = JobState::kUnfinished;
  std::string error;
  double seconds = 0;
  int64_t windows_total = 0;
  int64_t windows_done = 0;
  int64_t samples_done = 0;
  int64_t num_prepared_here = 0;
  int64_t num_prepared_at_workers = 0;
  int64_t num_found = 0;
  rpc::v1::Usage usage = {};
  // Faults of measures that are plug-ins; known once the job has ended.
  std::vector<rpc::v1::MeasureFault> faults = {};
};

// The windows that a job could not measure.
struct LostWindows {
  // "model 3: ...", one for each model and reason.
  std::vector<std::string> reasons;
  // Whether some value, or some window without samples, was measured nevertheless.
  bool some_measured = false;
};

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class EvaluationsTable {
 public:
  explicit EvaluationsTable(pqxx::work& work) : work_(work) {}

  // Locks the row, if there is one, until the transaction ends.
  std::optional<JobRow> FindJob(const JobKey& job);
  void InsertJob(const JobKey& job, const v1::StartEvaluationRequest& request);
  // Deletes the windows in which something failed, and marks the job as unfinished.
  void Reopen(const JobKey& job);
  void Finish(const JobKey& job, JobState state, const std::string& error);
  void AddSeconds(const JobKey& job, double seconds);
  // The resources that the job has used in all its attempts.
  rpc::v1::Usage FindUsage(const JobKey& job);
  void SetUsage(const JobKey& job, const rpc::v1::Usage& usage);

  std::optional<v1::StartEvaluationRequest> Request(const JobKey& job);
  // Returns the indices of the measured windows, ascending.
  std::vector<int64_t> MeasuredWindows(const JobKey& job);

  // Inserts a window with its scores, and what its end says. Returns false, and does nothing, when
  // the window exists already.
  bool InsertWindow(const JobKey& job, const v1::JobWindow& window, const v1::WindowEnd& end,
                    std::span<const v1::ModelScores> scores);
  LostWindows FindLostWindows(const JobKey& job);
  // Returns at most 20, those with the most values first.
  std::vector<rpc::v1::MeasureFault> FindFaults(const JobKey& job);

  // Returns the evaluations in the order (evaluation, model, window, measure, slice).
  std::vector<v1::Evaluation> List(RunId run);

  // Returns the number of jobs deleted.
  int64_t DeleteRun(RunId run);

 private:
  void InsertScores(const JobKey& job, const v1::ModelScores& model);

  pqxx::work& work_;
};

}  // namespace tidemill::evaluator
