// Makes one attempt at a job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "base/usage/account.h"
#include "db/database.h"
#include "evaluator/evaluations_table.h"
#include "evaluator/job_runner.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Finds the missing windows of a job in the database, and has them measured. Each complete window
// is recorded in one transaction. Belongs to one thread.
class JobExecution {
 public:
  // Called for every window recorded, and for the samples read in between.
  struct Progress {
    int64_t new_windows = 0;
    int64_t new_samples = 0;
    // The resources that the job has used so far, in all attempts.
    rpc::v1::Usage usage = {};
  };
  using ProgressSink = std::function<void(const Progress&)>;

  // `database` must outlive this object.
  JobExecution(db::Database& database, const JobKey& key, rpc::v1::JobDevice device,
               ProgressSink progress);

  // Returns OK when every window is recorded. Another attempt may succeed after ABORTED, when the
  // process died or its reports are incomplete, and after UNAVAILABLE, when a service or the
  // database could not be reached. NOT_FOUND when the job was deleted. CANCELLED when `stop` was
  // requested.
  absl::Status Run(const JobRunner& run_job, const std::stop_token& stop);

  int64_t windows_written() const { return windows_written_; }

 private:
  // Fills in `job_`.
  absl::Status FindMissingWork();
  absl::Status Take(const v1::JobReport& report);
  // Returns the last score of the open window.
  absl::StatusOr<v1::Evaluation*> LastScore();
  absl::Status TakeScores(const v1::ModelScores& scores);
  absl::Status Write(const v1::JobWindow& window, const v1::WindowEnd& end);
  absl::Status AddSeconds(double seconds);
  // The resources that all attempts so far have used.
  rpc::v1::Usage UsedSoFar() const;
  absl::StatusOr<const v1::JobWindow*> WindowOf(int64_t window_index) const;

  db::Database& database_;
  const JobKey key_;
  const rpc::v1::JobDevice device_;
  const ProgressSink progress_;
  v1::EvaluationJob job_;
  rpc::v1::Usage used_before_;  // By other attempts.
  rpc::v1::Usage reported_;     // By the process of this one, until it has ended.
  // The resources that this attempt has used in addition.
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
  std::vector<v1::ModelScores>
      open_scores_;                    // The scores of the window whose end is not reported yet.
  v1::ColumnImportances importances_;  // Measured with that window.
  int64_t samples_reported_ = 0;
  int64_t windows_written_ = 0;
};

}  // namespace tidemill::evaluator
