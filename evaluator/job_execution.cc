#include "evaluator/job_execution.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/failpoints.h"
#include "evaluator/outcomes_table.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::evaluator {
namespace {

// Windows on which the columns of records are measured.
constexpr int kMostImportanceWindows = 5;

void AddImportanceWindows(const v1::StartEvaluationRequest& request,
                          const std::set<int64_t>& measured, v1::EvaluationJob& job) {
  std::vector<v1::JobWindow> last;
  for (int i = request.windows_size() - 1; i >= 0 && std::ssize(last) < kMostImportanceWindows;
       --i) {
    if (request.windows(i).model_in_use() == 0) continue;
    if (last.empty() && measured.contains(i)) return;  // The columns have been measured with it.
    last.emplace_back().set_window_index(i);
    *last.back().mutable_window() = request.windows(i);
  }
  for (auto window = last.rbegin(); window != last.rend(); ++window) {
    *job.add_importance_windows() = std::move(*window);
  }
}

// The job of the windows of a request that are not among the measured ones. A window that names no
// models is measured on the models of the request.
v1::EvaluationJob JobOf(const v1::StartEvaluationRequest& request,
                        const std::set<int64_t>& measured) {
  v1::EvaluationJob job;
  *job.mutable_evaluation() = request;
  job.mutable_evaluation()->clear_windows();
  for (int i = 0; i < request.windows_size(); ++i) {
    if (measured.contains(i)) continue;
    v1::JobWindow& window = *job.add_windows();
    window.set_window_index(i);
    *window.mutable_window() = request.windows(i);
    if (window.window().model_ids().empty()) {
      *window.mutable_window()->mutable_model_ids() = request.model_ids();
    }
  }
  AddImportanceWindows(request, measured, job);
  return job;
}

}  // namespace

JobExecution::JobExecution(db::Database& database, const JobKey& key, rpc::v1::JobDevice device,
                           ProgressSink progress)
    : database_(database), key_(key), device_(std::move(device)), progress_(std::move(progress)) {}

absl::Status JobExecution::Run(const JobRunner& run_job, const std::stop_token& stop) {
  RETURN_IF_ERROR(FindMissingWork());
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status;
  if (!job_.windows().empty()) {
    const usage::Scope scope(account_);
    status = run_job(
        key_, job_, [this](const v1::JobReport& report) { return Take(report); }, stop);
    reported_.Clear();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  RETURN_IF_ERROR(AddSeconds(taken.count()));
  RETURN_IF_ERROR(status);
  if (windows_written_ < job_.windows_size()) {
    return absl::AbortedError(fmt::format("the evaluation ended after {} of {} windows",
                                          windows_written_, job_.windows_size()));
  }
  return absl::OkStatus();
}

absl::Status JobExecution::FindMissingWork() {
  return database_.Transact([&](pqxx::work& work) -> absl::Status {
    EvaluationsTable table(work);
    const auto request = table.Request(key_);
    if (!request)
      return NotFound("evaluation {} of run {} was deleted", key_.evaluation, key_.run.value);
    used_before_ = table.FindUsage(key_);
    const std::vector<int64_t> measured = table.MeasuredWindows(key_);
    job_ = JobOf(*request, {measured.begin(), measured.end()});
    *job_.mutable_device() = device_;
    return absl::OkStatus();
  });
}

rpc::v1::Usage JobExecution::UsedSoFar() const {
  rpc::v1::Usage used = rpc::ToMessage(account_->Total());
  rpc::AddUsage(used_before_, used);
  rpc::AddUsage(reported_, used);
  return used;
}

absl::Status JobExecution::Take(const v1::JobReport& report) {
  if (report.has_usage()) reported_ = report.usage();
  switch (report.report_case()) {
    case v1::JobReport::kScores:
      return TakeScores(report.scores());
    case v1::JobReport::kMoreDetail: {
      ASSIGN_OR_RETURN(v1::Evaluation* const score, LastScore());
      score->mutable_detail()->append(report.more_detail());
      return absl::OkStatus();
    }
    case v1::JobReport::kMoreTraceback: {
      ASSIGN_OR_RETURN(v1::Evaluation* const score, LastScore());
      score->mutable_traceback()->append(report.more_traceback());
      return absl::OkStatus();
    }
    case v1::JobReport::kMoreOutcomes:
      if (open_scores_.empty()) return Internal("the job sent outcomes before their scores");
      open_scores_.back().mutable_outcomes()->mutable_columns()->append(report.more_outcomes());
      return absl::OkStatus();
    case v1::JobReport::kImportances:
      importances_.MergeFrom(report.importances());
      return absl::OkStatus();
    case v1::JobReport::kWindowEnd: {
      ASSIGN_OR_RETURN(const v1::JobWindow* window, WindowOf(report.window_end().window_index()));
      return Write(*window, report.window_end());
    }
    case v1::JobReport::kProgress: {
      const int64_t total = report.progress().num_samples();
      progress_(
          {.new_samples = total - std::exchange(samples_reported_, total), .usage = UsedSoFar()});
      return absl::OkStatus();
    }
    default:
      return Internal("the job sent an empty report");
  }
}

absl::StatusOr<v1::Evaluation*> JobExecution::LastScore() {
  if (open_scores_.empty() || open_scores_.back().scores().empty()) {
    return Internal("the job sent a detail before its score");
  }
  return &*open_scores_.back().mutable_scores()->rbegin();
}

absl::Status JobExecution::TakeScores(const v1::ModelScores& scores) {
  RETURN_IF_ERROR(WindowOf(scores.common().window_index()).status());
  if (open_scores_.empty()) {
    RETURN_IF_FAILPOINT("evaluator.before_window");
  } else if (open_scores_.front().common().window_index() != scores.common().window_index()) {
    return Internal("window {} began before window {} had ended", scores.common().window_index(),
                    open_scores_.front().common().window_index());
  }
  const bool goes_on = !open_scores_.empty() &&
                       open_scores_.back().common().model_id() == scores.common().model_id() &&
                       open_scores_.back().common().baseline() == scores.common().baseline();
  if (!goes_on) {
    open_scores_.push_back(scores);
  } else {
    open_scores_.back().mutable_scores()->MergeFrom(scores.scores());
  }
  return absl::OkStatus();
}

absl::Status JobExecution::Write(const v1::JobWindow& window, const v1::WindowEnd& end) {
  RETURN_IF_FAILPOINT("evaluator.after_window");
  const std::vector<v1::ModelScores> scores = std::exchange(open_scores_, {});
  const v1::ColumnImportances importances = std::exchange(importances_, {});
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    EvaluationsTable table(work);
    if (table.InsertWindow(key_, window, end, scores)) {
      OutcomesTable outcomes(work);
      for (const v1::ModelScores& model : scores) {
        if (model.has_outcomes()) outcomes.Insert(key_, window.window_index(), model);
      }
      outcomes.InsertImportances(key_, window.window_index(), importances);
    }
    table.SetUsage(key_, UsedSoFar());
    RETURN_IF_FAILPOINT("evaluator.before_commit");
    return absl::OkStatus();
  }));
  RETURN_IF_FAILPOINT("evaluator.after_commit");
  ++windows_written_;
  progress_({.new_windows = 1, .usage = UsedSoFar()});
  return absl::OkStatus();
}

absl::Status JobExecution::AddSeconds(double seconds) {
  return database_.Transact([&](pqxx::work& work) {
    EvaluationsTable table(work);
    table.AddSeconds(key_, seconds);
    table.SetUsage(key_, UsedSoFar());
    return absl::OkStatus();
  });
}

absl::StatusOr<const v1::JobWindow*> JobExecution::WindowOf(int64_t window_index) const {
  const auto& windows = job_.windows();  // Ascending.
  const auto found = std::lower_bound(
      windows.begin(), windows.end(), window_index,
      [](const v1::JobWindow& window, int64_t index) { return window.window_index() < index; });
  if (found != windows.end() && found->window_index() == window_index) return &*found;
  return Internal("the job reported window {}, but it was not given that window", window_index);
}

}  // namespace tidemill::evaluator
